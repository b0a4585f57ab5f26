package dev.pitcrew.agent.labels;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.WriteRetry;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.NodeObjects;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.labels.plan.DiscoveryMode;
import dev.pitcrew.agent.labels.plan.GpuLabels;
import dev.pitcrew.agent.labels.plan.LabelApply;
import dev.pitcrew.agent.labels.plan.Labelling;
import dev.pitcrew.agent.labels.plan.WantedLabels;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.status.plan.MigFacts;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.device.inventory.Inventory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the labels of the Node. They are outputs: nothing that this process forgets or that ends
/// takes one away.
public final class LabelController implements Controller<LabelController.Input> {
  private static final Logger LOG = LoggerFactory.getLogger(LabelController.class);

  private final AgentContext context;
  private final ApiServer server;
  private final ProblemLog refused = new ProblemLog(LOG);
  private final ProblemLog warned = new ProblemLog(LOG);
  private final WriteRetry writes = new WriteRetry(LOG, "the labels of the node");

  /// @param features the feature labels; none where they are not the agent's
  /// @param hasGpu whether the node has a GPU on its bus
  /// @param gpuLabels whether the labels of the GPUs are the agent's
  /// @param config of the labels
  /// @param gpus empty while the driver does not answer
  /// @param mig empty where the MIG layout is not the agent's
  public record Input(
      JsonNode node,
      Map<String, String> features,
      boolean hasGpu,
      FunctionState gpuLabels,
      Optional<AgentConfig> config,
      Optional<Inventory> gpus,
      Optional<MigFacts> mig) {}

  public LabelController(AgentContext context, ApiServer server) {
    this.context = context;
    this.server = server;
  }

  @Override
  public Duration reconcile(Input input) {
    JsonNode node = input.node();
    SortedMap<String, String> wanted =
        withMigState(
            WantedLabels.of(node, input.features(), gpuLabels(input), input.hasGpu()),
            input.mig(),
            node);
    LabelApply apply = LabelApply.of(node, wanted, DiscoveryMode.AUTO);
    refused.lines(apply.problems());
    return apply.body().map(this::write).orElse(RESYNC);
  }

  /// How the division of the GPUs stands, where that is the agent's to do; before it was looked at,
  /// what was said last.
  private static SortedMap<String, String> withMigState(
      SortedMap<String, String> wanted, Optional<MigFacts> mig, JsonNode node) {
    String state =
        mig.map(facts ->
                facts.phase() == MigFacts.Phase.UNKNOWN
                    ? node.at("/metadata/labels").path(NodeLabels.MIG_CONFIG_STATE).asText("")
                    : facts.phase().label())
            .orElse("");
    var labels = new TreeMap<>(wanted);
    if (!state.isEmpty()) {
      labels.put(NodeLabels.MIG_CONFIG_STATE, state);
    }
    return labels;
  }

  private Duration write(JsonNode body) {
    // The watch reports the result: the reply could overtake a later change by another client.
    Optional<JsonNode> written =
        writes.written(
            server.apply(NodeObjects.node(context.identity()), body, WriteRetry.DEADLINE));
    return written.isPresent() ? RESYNC : writes.pause();
  }

  /// Empty where the last labels stay: the driver does not report them at the moment.
  private Optional<SortedMap<String, String>> gpuLabels(Input input) {
    return switch (input.gpuLabels()) {
      case FunctionState.Off(_) -> Optional.of(new TreeMap<>());
      case FunctionState.Paused(_) -> Optional.empty();
      case FunctionState.On() ->
          input.gpus().flatMap(gpus -> input.config().flatMap(config -> gpuLabels(gpus, config)));
    };
  }

  private Optional<SortedMap<String, String>> gpuLabels(Inventory gpus, AgentConfig config) {
    var machine = HostFacts.machine(context.host(), config.labels().machineTypeFile());
    return switch (GpuLabels.of(gpus, machine, config, context.clock())) {
      case Labelling.Labels(var labels, var warnings) -> {
        warned.lines(warnings);
        yield Optional.of(labels);
      }
      case Labelling.Refused(var reason) -> {
        warned.lines(List.of(reason));
        yield Optional.empty();
      }
    };
  }
}
