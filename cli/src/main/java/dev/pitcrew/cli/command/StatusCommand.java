package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ClusterReading;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.plan.FleetStatus;
import dev.pitcrew.cli.plan.Holdings;
import dev.pitcrew.cli.print.StatusPrint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "status",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Shows policies, nodes, GPUs and the roll-out of a driver on one screen.",
      "Exit code 1 says that a policy or a node is not ready, or that a roll-out has failed."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu status",
      "  kubectl gpu status --wait --timeout 15m   # after an installation or a change, for scripts"
    })
final class StatusCommand extends ReadingCommand {
  private static final Duration PAUSE = Duration.ofSeconds(2);

  @Option(
      names = "--wait",
      description = "Wait until all is ready. What is awaited is printed on standard error.")
  boolean wait;

  @Option(
      names = "--timeout",
      paramLabel = "<duration>",
      defaultValue = "10m",
      converter = ConnectionFlags.GoDuration.class,
      description = "How long --wait waits (default: ${DEFAULT-VALUE}).")
  Duration timeout = Duration.ZERO;

  StatusCommand(Session session) {
    super(session);
  }

  @Override
  public Integer call() throws InterruptedException {
    var cluster = cluster();
    FleetStatus status = read(cluster);
    Instant end = session.clock().instant().plus(timeout);
    String last = "";
    while (wait && !status.ok() && session.clock().instant().isBefore(end)) {
      String awaited = awaited(status);
      if (!awaited.equals(last)) {
        session.err().println(awaited);
        last = awaited;
      }
      Thread.sleep(PAUSE);
      status = read(cluster);
    }
    print(status);
    return status.ok() ? ExitCodes.OK : ExitCodes.PROBLEM;
  }

  private static FleetStatus read(ClusterReading cluster) {
    var nodes = cluster.gpuNodes();
    var policies = cluster.policies();
    var pods = cluster.holders();
    // Of what is refused, this says most.
    List<GpuNode> all = nodes.get();
    return FleetStatus.of(policies.get(), all, pods.get().map(Holdings::new));
  }

  private static String awaited(FleetStatus status) {
    return "waiting: %d of %d nodes ready, %d of %d policies"
        .formatted(
            status.nodes().ready(),
            status.nodes().total(),
            status.policies().stream().filter(FleetStatus.PolicyState::ready).count(),
            status.policies().size());
  }

  private void print(FleetStatus status) {
    output.print(
        session,
        status,
        Stream.concat(
                status.policies().stream()
                    .filter(it -> !it.ready())
                    .map(it -> "clusterpolicy/" + it.name()),
                status.nodes().notReady().stream()
                    .flatMap(it -> it.examples().stream())
                    .map(it -> "node/" + it))
            .toList(),
        screen -> StatusPrint.print(screen, status, output.isWide()));
  }
}
