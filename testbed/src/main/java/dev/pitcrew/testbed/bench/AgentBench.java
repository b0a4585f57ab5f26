package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.bench.AgentFigures.Idle;
import dev.pitcrew.testbed.bench.AgentFigures.Memory;
import dev.pitcrew.testbed.demo.InstalledCluster;
import dev.pitcrew.testbed.demo.InstalledCluster.Installation;
import dev.pitcrew.testbed.node.NodeSupport;
import dev.pitcrew.testbed.node.RealNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "agent",
    description = {
      "Measure the agent's pod on a real node with simulated GPUs and write a table.",
      "",
      "Takes root on Linux and the image of 'make image'. A missed target is a line in the table"
          + " and no failure. Takes some five minutes."
    })
final class AgentBench implements Callable<Integer> {
  private static final Duration QUIET = Duration.ofSeconds(10);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int CALLS = 1_000;
  private static final int MOST_SHOWN = 1_000;

  @Option(
      names = "--image",
      paramLabel = "FILE",
      defaultValue = "image/target",
      description = "The image's archive, or a folder with it. Default: ${DEFAULT-VALUE}")
  private Path image = Path.of("");

  @Option(
      names = "--trials",
      paramLabel = "N",
      defaultValue = "5",
      description = "Starts, and twice as many faults. Default: ${DEFAULT-VALUE}")
  private int trials;

  @Option(
      names = "--only",
      paramLabel = "PHASE",
      description = "Print the figures of one phase, and write no table: ${COMPLETION-CANDIDATES}")
  private Optional<Phase> only = Optional.empty();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      defaultValue = "bench/results/agent.md",
      description = "Takes the table. Default: ${DEFAULT-VALUE}")
  private Path out = Path.of("");

  private final PrintWriter console;

  /// What can be measured alone.
  enum Phase {
    HEALTH,
    STARTS,
    UPGRADE,
    SCRAPE,
    MIG
  }

  AgentBench(PrintWriter console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    requireRealNodes();
    var load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    var installation =
        new Installation(Path.of("charts", "pitcrew"), Path.of("demo", "values.yaml"), image);
    try (var cluster = InstalledCluster.start(console, installation, KubeletLog.VERBOSITY)) {
      var agent = new AgentUnderTest(cluster);
      if (only.isPresent()) {
        measure(agent, only.get());
        return 0;
      }
      var name = imageOf(agent);
      write(new AgentReport(measure(agent, load), Machine.here(), today(), name));
    }
    say(Files.readString(out));
    return 0;
  }

  private AgentFigures measure(AgentUnderTest agent, double load) {
    var idle = phase("an idle minute", () -> idleMinute(agent));
    var rested = phase("memory at rest", () -> memory(agent, agent.cluster().server()));
    var starts = new AgentStarts(agent, trials);
    var pods = phase("starts, pod deleted", starts::ofPods);
    var processes = phase("starts, process killed", starts::ofProcesses);
    var faults = phase("faults", new DeviceNews(agent, 2 * trials)::faults);
    var registrations =
        phase("restarts of the kubelet", new DeviceNews(agent, trials)::registrations);
    var allocations = phase("calls of Allocate", () -> allocations(agent));
    agent.calls().awaitQuiet(QUIET, LIMIT);
    var ended = memory(agent, agent.cluster().server());
    var waiting = memory(agent, agent.cluster().other());
    var scrapes = phase("scrapes", new ScrapeBench(agent)::run);
    var memory = new Memory(rested, ended, waiting);
    var mig = mig(agent);
    return new AgentFigures(
        load, memory, idle, pods, processes, faults, registrations, allocations, scrapes, mig);
  }

  private MigChanges.Changed mig(AgentUnderTest agent) {
    return phase("changes of MIG", new MigChanges(agent, trials)::changes);
  }

  private void measure(AgentUnderTest agent, Phase wanted) {
    var starts = new AgentStarts(agent, trials);
    switch (wanted) {
      case HEALTH -> phase("cost of health", new HealthCost(agent)::measured);
      case STARTS -> {
        phase("starts, pod deleted", starts::ofPods);
        phase("starts, process killed", starts::ofProcesses);
      }
      case SCRAPE -> phase("scrapes", new ScrapeBench(agent)::run);
      case UPGRADE -> phase("upgrades", new AgentUpgrade(agent, trials)::rolls);
      case MIG -> mig(agent);
    }
  }

  /// Reports the result at once: a later phase may fail.
  private <T> T phase(String name, Supplier<T> measure) {
    say(name);
    var result = measure.get();
    var text = result.toString();
    say("  " + text.substring(0, Math.min(text.length(), MOST_SHOWN)));
    return result;
  }

  private static Allocations allocations(AgentUnderTest agent) {
    var uuids = Allocations.uuids(agent.cluster().gpus().gpus());
    return Allocations.of(agent.pluginSocket(), uuids, CALLS);
  }

  private static Idle idleMinute(AgentUnderTest agent) {
    var calls = agent.calls();
    if (!calls.awaitQuiet(QUIET, LIMIT)) {
      throw new TestbedException(
          "the agent did not come to rest; it called " + calls.all().getLast());
    }
    long process = agent.processes(agent.cluster().server()).agent().orElseThrow().id();
    var begin = Instant.now();
    Duration before = ProcessFigures.of(process).cpu();
    Await.pause(MINUTE);
    var after = ProcessFigures.of(process);
    return new Idle(
        calls.between(begin, begin.plus(MINUTE)), after.cpu().minus(before), after.threads());
  }

  private static PodMemory memory(AgentUnderTest agent, RealNode node) {
    return PodMemory.of(agent.processes(node));
  }

  private static String imageOf(AgentUnderTest agent) {
    var pod = agent.pod(agent.cluster().server()).orElseThrow();
    return pod.getSpec().getContainers().getFirst().getImage();
  }

  private static void requireRealNodes() {
    var support = NodeSupport.ofThisMachine(System.err::println);
    if (!support.isAvailable()) {
      throw new TestbedException(support.explanation());
    }
  }

  private void write(AgentReport report) throws IOException {
    Files.createDirectories(Objects.requireNonNull(out.toAbsolutePath().getParent()));
    Files.writeString(out, report.markdown());
  }

  private static LocalDate today() {
    return LocalDate.now(ZoneOffset.UTC);
  }

  private void say(String line) {
    console.println(line);
    console.flush();
  }
}
