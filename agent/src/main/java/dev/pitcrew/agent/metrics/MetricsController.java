package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.PodsOfNode;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.metrics.counters.FieldTable;
import dev.pitcrew.agent.metrics.plan.MetricsEnvironment;
import dev.pitcrew.agent.metrics.plan.MetricsSettings;
import dev.pitcrew.agent.metrics.web.WebConfigFile;
import dev.pitcrew.agent.metrics.web.WebConfigFile.Opened;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.settings.CounterSettings;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.core.web.AccessControl;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.core.web.HttpEndpoint;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.nvml.NvmlUse;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Serves the metrics of the GPUs while that is the agent's to do. Its NVML is open exactly while
/// the node's driver is followed.
public final class MetricsController implements Controller<MetricsController.Input>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsController.class);
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(30);

  private final AgentContext context;
  private final ApiServer server;
  private final NvmlUse use;
  private final ProblemLog unserved = new ProblemLog(LOG);
  private Optional<Running> running = Optional.empty();
  private Optional<HttpEndpoint> endpoint = Optional.empty();

  /// @param variables with which it was started
  private record Running(
      Map<String, String> variables,
      String driverFolder,
      CounterSettings counters,
      GpuSettings gpus,
      Metrics metrics,
      Optional<PodsOfNode> pods) {
    boolean isFor(Settings settings) {
      return variables.equals(settings.exporter()) && driverFolder.equals(settings.driverFolder());
    }

    Running with(CounterSettings other) {
      return new Running(variables, driverFolder, other, gpus, metrics, pods);
    }
  }

  /// @param use knows who has NVML open
  public MetricsController(AgentContext context, ApiServer server, NvmlUse use) {
    this.context = context;
    this.server = server;
    this.use = use;
  }

  /// @param settings empty where the metrics are not the agent's to serve
  /// @param exclusiveUse why only one part of the agent may have NVML open at the moment
  public record Input(
      Optional<Settings> settings,
      Optional<String> exclusiveUse,
      Optional<NodeSnapshot> snapshot) {}

  @Override
  public Duration reconcile(Input input) {
    Optional<Settings> settings = input.settings();
    if (running.isPresent() && settings.filter(running.get()::isFor).isEmpty()) {
      close();
    }
    if (settings.isEmpty()) {
      return RESYNC;
    }
    if (running.isEmpty()) {
      running = Optional.of(start(settings.get()));
    }
    count(running.get(), settings.get().counters());
    Optional<String> wanted = input.exclusiveUse();
    if (wanted.isPresent()) {
      running.get().metrics().leave(wanted.get());
    } else {
      input.snapshot().ifPresent(snapshot -> follow(running.get(), snapshot));
    }
    return serve(running.get());
  }

  private Running start(Settings settings) {
    MetricsSettings wanted = wanted(settings);
    GpuSettings gpus = DriverPaths.of(context, settings.driverFolder()).gpuSettings().withUse(use);
    CountersInForce counters = counters(settings.counters());
    Optional<CountersFile> file =
        Optional.of(wanted.counters())
            .filter(path -> !path.isEmpty() && settings.counters().configMap().isEmpty())
            .map(path -> new CountersFile(() -> context.host().place(path), counters, LOG::warn));
    Optional<PodsOfNode> pods =
        Optional.of(server)
            .filter(_ -> wanted.pods().isOn() && wanted.pods().labels().isOn())
            .map(it -> PodsOfNode.follow(it, context.identity().node()));
    return new Running(
        settings.exporter(),
        settings.driverFolder(),
        settings.counters(),
        gpus,
        Metrics.start(wanted, context.host(), counters, new Metrics.Around(file, marks(pods))),
        pods);
  }

  private static PodMarks marks(Optional<PodsOfNode> pods) {
    return (namespace, name) ->
        pods.flatMap(it -> it.of(namespace, name)).map(it -> new PodMarks.Marks(it.labels()));
  }

  /// Another list takes effect while the metrics are served.
  private void count(Running now, CounterSettings counters) {
    if (!now.counters().equals(counters)) {
      now.metrics().count(counters(counters));
      running = Optional.of(now.with(counters));
    }
  }

  private static CountersInForce counters(CounterSettings said) {
    FieldTable table = FieldTable.load();
    CountersInForce defaults = CountersInForce.defaults(table);
    return said.list()
        .map(list -> defaults.read(table, list.place(), list.text()))
        .orElse(defaults)
        .but(said.problems());
  }

  private MetricsSettings wanted(Settings settings) {
    return MetricsEnvironment.read(settings.exporter(), context.identity().node()).settings();
  }

  private static void follow(Running running, NodeSnapshot snapshot) {
    switch (snapshot) {
      case NodeSnapshot.WithDriver(var gpus, _, _, _) ->
          running.metrics().follow(running.gpus(), gpus.inventory());
      case NodeSnapshot.WithoutDriver(var reason, _) -> running.metrics().leave(reason);
    }
  }

  private Duration serve(Running now) {
    if (endpoint.isPresent()) {
      return RESYNC;
    }
    return switch (porter(now)) {
      case Opened.Right(var porter) -> serve(now, porter);
      case Opened.Wrong(var problems) -> {
        // What was to be protected is not served open.
        unserved.lines(
            problems.stream()
                .map(it ->
                    "the metrics of GPUs are not served: %s (DCGM_EXPORTER_WEB_CONFIG_FILE in ClusterPolicy spec.dcgmExporter.env, on the node); trying again"
                        .formatted(it))
                .toList());
        yield UNTIL_TRIED_AGAIN;
      }
    };
  }

  private Opened porter(Running now) {
    String file = now.variables().getOrDefault("DCGM_EXPORTER_WEB_CONFIG_FILE", "");
    return file.isEmpty()
        ? new Opened.Right(AccessControl.OPEN)
        : WebConfigFile.open(file, path -> context.host().place(path), LOG::warn);
  }

  private Duration serve(Running now, AccessControl porter) {
    String listen = now.variables().getOrDefault("DCGM_EXPORTER_LISTEN", "");
    try {
      if (BindAddress.parse(listen) instanceof BindAddress.Listen address) {
        endpoint = Optional.of(HttpEndpoint.start(address, MetricsPages.of(now.metrics()), porter));
      }
      unserved.lines(List.of());
      return RESYNC;
    } catch (UncheckedIOException | IllegalArgumentException e) {
      unserved.lines(
          List.of(
              "the metrics of GPUs are not served (%s: %s): end what has the port (ss -ltnp) or give another by DCGM_EXPORTER_LISTEN in ClusterPolicy spec.dcgmExporter.env; trying again"
                  .formatted(e.getMessage(), String.valueOf(e.getCause()))));
      return UNTIL_TRIED_AGAIN;
    }
  }

  /// Lets the port and NVML go.
  @Override
  public void close() {
    endpoint.ifPresent(HttpEndpoint::close);
    endpoint = Optional.empty();
    running.ifPresent(now -> {
      now.metrics().close();
      now.pods().ifPresent(PodsOfNode::close);
    });
    running = Optional.empty();
  }
}
