package dev.pitcrew.agent.command;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.agent.driver.DriverPreparation;
import dev.pitcrew.agent.driver.PreparationResult;
import dev.pitcrew.agent.driver.WakeUp;
import dev.pitcrew.core.names.FieldManagers;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "driver-manager",
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Makes this node ready for the driver whose container starts next.",
      "If the right driver is loaded, it stays loaded, and no workload is affected. Another driver is unloaded once no pod holds a GPU; only the operator evicts pods."
    },
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the driver container may start",
      "1:it may not; the reason is the last line on standard error",
      "2:wrong usage"
    })
final class DriverManagerCommand implements Runnable {
  /// The pod is deleted within a second or two of the label.
  private static final Duration UNTIL_DELETED = Duration.ofMinutes(1);

  private final Surroundings surroundings;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin DriverManagerFlags flags = new DriverManagerFlags();

  DriverManagerCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  @Command(
      name = "uninstall_driver",
      description = "Unloads the driver that is loaded, unless it is the one that is wanted.")
  int uninstallDriver() throws IOException, InterruptedException {
    Optional<Credentials> account = account();
    if (account.isEmpty()) {
      return PitcrewCommand.FAILED;
    }
    var wakeUp = new WakeUp();
    Thread watch = Thread.ofVirtual().start(() -> endWhenStopped(wakeUp));
    try (var server = ApiServer.of(account.get(), FieldManagers.DRIVER_MANAGER)) {
      return print(preparation(server, wakeUp).run());
    } finally {
      watch.interrupt();
    }
  }

  @Command(
      name = "preflight_check",
      description = "Looks whether the node can be worked with, and changes nothing.")
  int preflightCheck() throws InterruptedException {
    Optional<Credentials> account = account();
    if (account.isEmpty()) {
      return PitcrewCommand.FAILED;
    }
    try (var server = ApiServer.of(account.get(), FieldManagers.DRIVER_MANAGER)) {
      Optional<String> problem =
          preparation(server, new WakeUp()).check(spec.commandLine().getOut()::println);
      problem.ifPresent(this::complain);
      return problem.isEmpty() ? PitcrewCommand.DONE : PitcrewCommand.FAILED;
    }
  }

  private DriverPreparation preparation(ApiServer server, WakeUp wakeUp) {
    return new DriverPreparation(
        flags.options(surroundings.environment()), server, surroundings.clock(), wakeUp);
  }

  /// Empty, with a message, where something is missing.
  private Optional<Credentials> account() {
    Optional<String> problem = flags.problem();
    if (problem.isPresent()) {
      throw new ParameterException(spec.commandLine(), problem.get());
    }
    Optional<Credentials> found =
        flags.server.isEmpty()
            ? Credentials.ofPod(surroundings.environment())
            : Optional.of(Credentials.of(URI.create(flags.server), Path.of(flags.serviceAccount)));
    if (found.isEmpty()) {
      complain("there is no API server: KUBERNETES_SERVICE_HOST is not set, so this is no pod");
    }
    return found;
  }

  private int print(PreparationResult result) throws InterruptedException {
    return switch (result) {
      case PreparationResult.MayStart(var words) -> {
        spec.commandLine().getOut().println(words);
        yield PitcrewCommand.DONE;
      }
      case PreparationResult.LeftToHost(var words) -> {
        refuse(words);
        // Were it to end now, the kubelet would start it again before the pod is deleted.
        surroundings.stop().passes(Optional.of(UNTIL_DELETED));
        yield PitcrewCommand.FAILED;
      }
      case PreparationResult.Refused refused -> refuse(refused.words());
      case PreparationResult.NeedsReboot reboot -> refuse(reboot.words());
    };
  }

  /// The pod's status says why, and nothing but that.
  private int refuse(String words) {
    complain(words);
    if (Files.isRegularFile(flags.lastOutput)) {
      try {
        Files.writeString(flags.lastOutput, words);
      } catch (IOException e) {
        complain("%s: %s".formatted(flags.lastOutput, e)); // then the log has to do
      }
    }
    return PitcrewCommand.FAILED;
  }

  private void complain(String words) {
    spec.commandLine().getErr().println(words);
  }

  private void endWhenStopped(WakeUp wakeUp) {
    try {
      surroundings.stop().passes(Optional.empty());
      wakeUp.end();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
