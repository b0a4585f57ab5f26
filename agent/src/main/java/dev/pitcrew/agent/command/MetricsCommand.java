package dev.pitcrew.agent.command;

import dev.pitcrew.agent.command.NodeReader.Reading;
import dev.pitcrew.agent.config.AgentConfig.DriverRoots;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.agent.host.NodePlaces;
import dev.pitcrew.agent.metrics.CountersFile;
import dev.pitcrew.agent.metrics.CountersInForce;
import dev.pitcrew.agent.metrics.Metrics;
import dev.pitcrew.agent.metrics.MetricsPages;
import dev.pitcrew.agent.metrics.PodMarks;
import dev.pitcrew.agent.metrics.counters.FieldTable;
import dev.pitcrew.agent.metrics.plan.MetricsEnvironment;
import dev.pitcrew.agent.metrics.plan.MetricsSettings;
import dev.pitcrew.agent.metrics.web.WebConfigFile;
import dev.pitcrew.agent.metrics.web.WebConfigFile.Opened;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.node.NodeWatch;
import dev.pitcrew.core.web.AccessControl;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.core.web.HttpEndpoint;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.gpu.GpuSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "metrics",
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Serves the metrics of this node's GPUs, as NVIDIA's exporter does, until it is stopped.",
      "With --oneshot it prints them once."
    })
final class MetricsCommand implements Callable<Integer> {
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Duration QUICK = Duration.ofMillis(200);

  /// Rates, and what GPUs measure by performance monitoring, need two samples.
  private static final int ROUNDS = 3;

  /// How long a GPU is waited for.
  private static final int MOST_LOOKS = 200;

  private final Surroundings surroundings;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin NodeOptions node = new NodeOptions();

  @Option(names = "--oneshot", description = "Print the metrics once.")
  boolean isOnce;

  @Option(
      names = "--driver-root",
      paramLabel = "<folder>",
      defaultValue = "/",
      description = "Where the driver's files are on the host (default: ${DEFAULT-VALUE}).")
  String driverRoot = "/";

  @Option(names = "--open-metrics", description = "With --oneshot: in the words of OpenMetrics.")
  boolean isOpenMetrics;

  MetricsCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    var variables =
        MetricsFlag.variables(spec.commandLine().getParseResult(), surroundings.environment());
    var read = MetricsEnvironment.read(variables, hostname());
    read.invalid().forEach(wrong -> errors().println("warning: " + wrong.text()));
    FieldTable table = FieldTable.load();
    CountersInForce counters = counters(table, read.settings(), CountersInForce.defaults(table));
    if (counters.problem().isPresent()) {
      counters.problems().forEach(problem -> errors().println(problem.text()));
      return PitcrewCommand.FAILED;
    }
    counters.list().hints().forEach(hint -> errors().println("warning: " + hint.text()));
    NodePlaces places = node.places(new DriverRoots(driverRoot, driverRoot, ""));
    return isOnce
        ? once(places, read.settings(), counters)
        : serve(places, read.settings(), counters);
  }

  private static CountersInForce counters(
      FieldTable table, MetricsSettings settings, CountersInForce before) {
    return settings.counters().isEmpty()
        ? before
        : before.read(table, Path.of(settings.counters()));
  }

  private int once(NodePlaces places, MetricsSettings settings, CountersInForce counters)
      throws InterruptedException {
    return switch (surroundings.reader().read(places)) {
      case Reading.Read(var inventory) -> print(places, settings.every(QUICK), counters, inventory);
      case Reading.NoDriver(var reason) -> {
        errors()
            .println(
                "no GPU can be read: " + reason + "; check the driver, --driver-root and --nvml");
        yield PitcrewCommand.FAILED;
      }
    };
  }

  private int print(
      NodePlaces places, MetricsSettings settings, CountersInForce counters, Inventory inventory)
      throws InterruptedException {
    try (var metrics = Metrics.start(settings, places.host(), counters, Metrics.Around.NOTHING)) {
      metrics.follow(places.gpuSettings().withUse(surroundings.use()), inventory);
      int looks = 0;
      while (metrics.rounds() < ROUNDS && looks < MOST_LOOKS) {
        looks += surroundings.stop().passes(Optional.of(LOOK)) ? 1 : MOST_LOOKS;
      }
      String accept = isOpenMetrics ? "application/openmetrics-text" : "";
      out().print(new String(metrics.page(accept).body(), StandardCharsets.UTF_8));
      out().flush();
      return PitcrewCommand.DONE;
    }
  }

  private int serve(NodePlaces places, MetricsSettings settings, CountersInForce counters)
      throws InterruptedException {
    if (!(address(settings.listen()) instanceof BindAddress.Listen address)) {
      errors().println("--address: '%s' is no address to listen on".formatted(settings.listen()));
      return PitcrewCommand.FAILED;
    }
    return switch (porter(settings)) {
      case Opened.Wrong(var problems) -> {
        problems.forEach(errors()::println);
        yield PitcrewCommand.FAILED;
      }
      case Opened.Right(var porter) ->
          serve(places, settings, counters, new Entrance(address, porter));
    };
  }

  /// @param porter who lets scrapes in
  private record Entrance(BindAddress.Listen address, AccessControl porter) {}

  private Opened porter(MetricsSettings settings) {
    return settings.webConfig().isEmpty()
        ? new Opened.Right(AccessControl.OPEN)
        : WebConfigFile.open(settings.webConfig(), Path::of, errors()::println);
  }

  private int serve(
      NodePlaces places, MetricsSettings settings, CountersInForce counters, Entrance entrance)
      throws InterruptedException {
    Optional<CountersFile> file =
        Optional.of(settings.counters())
            .filter(path -> !path.isEmpty())
            .map(path -> new CountersFile(() -> Path.of(path), counters, errors()::println));
    GpuSettings gpus = places.gpuSettings();
    var basis = new NodeWatch.Basis(gpus, XidPolicy.DEFAULT, Optional.empty());
    try (var metrics =
            Metrics.start(
                settings, places.host(), counters, new Metrics.Around(file, PodMarks.UNKNOWN));
        var _ = NodeWatch.start(basis, surroundings.clock(), it -> follow(metrics, gpus, it));
        var served =
            HttpEndpoint.start(entrance.address(), MetricsPages.of(metrics), entrance.porter())) {
      surroundings.reload().whenRaised(metrics::reread);
      errors().println("metrics are served at " + served.address());
      surroundings.stop().passes(Optional.empty());
      return PitcrewCommand.DONE;
    }
  }

  private static void follow(Metrics metrics, GpuSettings settings, NodeSnapshot snapshot) {
    switch (snapshot) {
      case NodeSnapshot.WithDriver(var gpus, _, _, _) -> metrics.follow(settings, gpus.inventory());
      case NodeSnapshot.WithoutDriver(var reason, _) -> metrics.leave(reason);
    }
  }

  private static BindAddress address(String text) {
    try {
      return BindAddress.parse(text);
    } catch (IllegalArgumentException _) {
      return new BindAddress.Off();
    }
  }

  /// As the kernel knows it.
  private String hostname() {
    return node.places(new DriverRoots(driverRoot, driverRoot, ""))
        .host()
        .text("/proc/sys/kernel/hostname")
        .map(String::strip)
        .orElse("");
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private PrintWriter errors() {
    return spec.commandLine().getErr();
  }
}
