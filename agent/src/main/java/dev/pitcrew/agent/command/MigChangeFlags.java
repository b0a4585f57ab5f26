package dev.pitcrew.agent.command;

import dev.pitcrew.agent.mig.change.BusyPolicy;
import dev.pitcrew.agent.mig.change.ChangeOptions;
import dev.pitcrew.agent.mig.change.ChangeOutcome;
import dev.pitcrew.agent.mig.change.GpuAccess;
import dev.pitcrew.agent.mig.change.Journal;
import dev.pitcrew.agent.mig.change.MigChange;
import dev.pitcrew.agent.mig.plan.Wish;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import picocli.CommandLine.Option;

/// How a change of the MIG devices is made.
final class MigChangeFlags {
  @Option(
      names = {"-s", "--skip-reset"},
      defaultValue = "${env:MIG_PARTED_SKIP_RESET:-false}",
      fallbackValue = "true",
      arity = "0..1",
      description = "Leave a MIG mode waiting for a reset (MIG_PARTED_SKIP_RESET).")
  boolean skipsReset;

  @Option(
      names = "--busy",
      paramLabel = "wait|refuse",
      defaultValue = "refuse",
      description =
          "What to do where processes use what has to go: wait for them, or change nothing (default: ${DEFAULT-VALUE}).")
  String busy = "refuse";

  @Option(
      names = "--deadline-seconds",
      paramLabel = "<seconds>",
      defaultValue = "600",
      description = "For all of it; then it goes back (default: ${DEFAULT-VALUE}).")
  int deadlineSeconds = 600;

  @Option(
      names = "--state-folder",
      paramLabel = "<folder>",
      defaultValue = "",
      description = "Where the way back is kept (default: /var/lib/pitcrew below --host-root).")
  String stateFolder = "";

  ChangeOutcome run(MigNodeOptions node, Wish wish, InstantSource clock, PrintWriter errors) {
    Path folder =
        stateFolder.isEmpty()
            ? node.node.hostRoot.resolve("var/lib/pitcrew")
            : Path.of(stateFolder);
    BusyPolicy policy = busy.equals("wait") ? BusyPolicy.WAIT : BusyPolicy.REFUSE;
    try (GpuAccess access = node.access()) {
      return new MigChange(access, new Journal(folder), clock, errors::println)
          .run(wish, new ChangeOptions(skipsReset, policy, Duration.ofSeconds(deadlineSeconds)));
    }
  }
}
