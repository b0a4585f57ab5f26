package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.features.DiscoveryMode;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.labels.GpuLabels;
import dev.pitcrew.agent.labels.Labelling;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.offer.Told;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.settings.Settings.InForce;
import dev.pitcrew.agent.status.LabelApply;
import dev.pitcrew.agent.status.MigFacts;
import dev.pitcrew.agent.status.WantedLabels;
import dev.pitcrew.core.names.NodeLabels;
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
final class LabelController implements Controller {
  private static final Logger LOG = LoggerFactory.getLogger(LabelController.class);

  private final AgentContext place;
  private final ApiServer server;
  private final Told refused = new Told(LOG);
  private final Told warned = new Told(LOG);
  private final WriteRetry writes = new WriteRetry(LOG, "the labels of the node");

  LabelController(AgentContext place, ApiServer server) {
    this.place = place;
    this.server = server;
  }

  @Override
  public Duration act(NodeState situation) {
    Optional<JsonNode> node = situation.cluster().nodeObject();
    if (node.isEmpty() || situation.settings().isEmpty() || situation.host().isEmpty()) {
      return SETTLED;
    }
    Settings settings = situation.settings().get();
    HostState host = situation.host().get();
    SortedMap<String, String> wanted =
        WantedLabels.of(
            node.get(),
            settings.isOn(NodeFunction.FEATURE_LABELS) ? host.features() : Map.of(),
            gpuLabels(situation, settings),
            host.hasGpu());
    wanted = withMigState(wanted, situation.migFacts(), node.get());
    LabelApply apply = LabelApply.of(node.get(), wanted, DiscoveryMode.AUTO);
    refused.lines(apply.problems());
    return apply.body().map(this::write).orElse(SETTLED);
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
        writes.written(server.apply(NodeObjects.node(place.identity()), body, WriteRetry.DEADLINE));
    return written.isPresent() ? SETTLED : writes.pause();
  }

  /// Empty where the last labels stay: the driver does not report them at the moment.
  private Optional<SortedMap<String, String>> gpuLabels(NodeState situation, Settings settings) {
    return switch (settings.state(NodeFunction.GPU_LABELS)) {
      case FunctionState.Off(_) -> Optional.of(new TreeMap<>());
      case FunctionState.Paused(_) -> Optional.empty();
      case FunctionState.On() ->
          situation
              .snapshot()
              .flatMap(snapshot ->
                  snapshot instanceof NodeSnapshot.WithDriver loaded
                      ? settings.labels().flatMap(config -> gpuLabels(loaded, config))
                      : Optional.empty());
    };
  }

  private Optional<SortedMap<String, String>> gpuLabels(
      NodeSnapshot.WithDriver loaded, InForce inForce) {
    AgentConfig config = inForce.config();
    var machine = HostFacts.machine(place.host(), config.labels().machineTypeFile());
    return switch (GpuLabels.of(loaded.gpus().inventory(), machine, config, place.clock())) {
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
