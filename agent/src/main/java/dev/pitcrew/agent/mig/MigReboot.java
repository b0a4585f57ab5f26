package dev.pitcrew.agent.mig;

import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.Step;
import dev.pitcrew.agent.state.WholeFile;
import dev.pitcrew.agent.status.plan.MigFacts;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The reboot of the node for a MIG mode that nothing else brings into force; one for each change
/// of modes. It is written down in which boot it was asked for, and for what, before the host is
/// asked.
final class MigReboot {
  private static final Logger LOG = LoggerFactory.getLogger(MigReboot.class);
  private static final String NAME = "mig-reboot";

  /// Of the condition while the node is about to reboot.
  static final String REASON = "Rebooting";

  private static final String SEPARATOR = ", ";
  private static final Duration FOR_THE_PROGRAM = Duration.ofSeconds(30);

  private final HostRoot host;
  private final Path file;
  private final HostShell shell;
  private Optional<Awaited> awaited = Optional.empty();

  /// Why the change that is under way is made without a reboot, though one may be.
  private Optional<String> declined = Optional.empty();

  /// @param reason why the mode is not in force
  /// @param asked when the host was asked for it
  private record Awaited(MigLayoutChoice choice, String reason, Optional<Instant> asked) {}

  /// @param state the folder of what outlives the process
  /// @param shell runs the host's own `reboot`
  MigReboot(HostRoot host, Path state, HostShell shell) {
    this.host = host;
    this.file = state.resolve(NAME);
    this.shell = shell;
  }

  /// Which modes are to come into force, such as `GPU-… on, GPU-… off`; empty where none are.
  static String modes(List<GpuPlan.Steps> plans) {
    return plans.stream()
        .flatMap(plan ->
            plan.steps().stream()
                .filter(Step.SetMode.class::isInstance)
                .map(Step.SetMode.class::cast)
                .map(step -> plan.gpu().uuid() + (step.isEnabled() ? " on" : " off")))
        .sorted()
        .collect(Collectors.joining(SEPARATOR));
  }

  /// Whether the Node and its GPUNode say that it reboots.
  ///
  /// @param state the value of `nvidia.com/mig.config.state`
  static boolean isAnnounced(String state, GpuNodeStatus status) {
    return state.equals(MigFacts.Phase.REBOOTING.label())
        && status
            .condition(NodeCondition.MIG_CONFIGURED)
            .filter(it -> it.reason().equals(REASON))
            .isPresent();
  }

  /// Whether a mode may be left to a reboot.
  ///
  /// @param modes that are to come into force
  boolean isPossible(String modes) {
    if (declined.isEmpty() && wasInVain(modes)) {
      declined = Optional.of("it was rebooted for it already");
    }
    return declined.isEmpty();
  }

  /// A mode is set that comes into force with a reboot.
  void await(MigLayoutChoice choice, String reason) {
    awaited = Optional.of(new Awaited(choice, reason, Optional.empty()));
  }

  boolean isAwaited() {
    return awaited.isPresent();
  }

  /// Why it is awaited.
  String reason() {
    return awaited.orElseThrow().reason();
  }

  /// When the host was asked for it.
  Optional<Instant> asked() {
    return awaited.flatMap(Awaited::asked);
  }

  /// Another choice has no use for it.
  void keepFor(MigLayoutChoice choice) {
    awaited = awaited.filter(it -> it.choice().equals(choice));
  }

  /// The mode is rolled back, as it would be without a reboot.
  void decline(String why) {
    awaited = Optional.empty();
    declined = Optional.of(why);
  }

  /// What is to be said of a reboot that was not made; empty where there is nothing.
  String excuse() {
    return declined.map(why -> "; the node is not rebooted for it: " + why).orElse("");
  }

  /// The change is over, one way or the other.
  void end() {
    awaited = Optional.empty();
    declined = Optional.empty();
  }

  /// Asks the host, once.
  void ask(String modes, Instant now) {
    write(modes).or(this::run).ifPresentOrElse(this::decline, () -> wasAsked(now));
  }

  private void wasAsked(Instant now) {
    awaited = awaited.map(it -> new Awaited(it.choice(), it.reason(), Optional.of(now)));
  }

  /// @return why it cannot be
  private Optional<String> write(String modes) {
    try {
      WholeFile.replace(file, HostFacts.bootId(host) + "\n" + modes + "\n");
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("%s cannot be written: %s".formatted(file, WholeFile.words(e)));
    }
  }

  private Optional<String> run() {
    LOG.atWarn().log("rebooting the node: {}", reason());
    try {
      HostShell.Said said = shell.run(FOR_THE_PROGRAM, List.of("reboot"));
      return said.isGood() ? Optional.empty() : Optional.of("reboot: " + said.lastOutput());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted while the host's reboot ran");
    }
  }

  /// Whether the node was rebooted for these modes already, and they are not in force.
  private boolean wasInVain(String modes) {
    try {
      List<String> lines = Files.readAllLines(file);
      return lines.size() == 2
          && !lines.getFirst().equals(HostFacts.bootId(host))
          && each(lines.getLast()).containsAll(each(modes));
    } catch (NoSuchFileException _) {
      return false;
    } catch (IOException e) {
      // Rather no reboot than one after the other.
      LOG.atWarn().setCause(e).log("{} cannot be read; the node is not rebooted", file);
      return true;
    }
  }

  private static Set<String> each(String modes) {
    return Set.of(modes.split(SEPARATOR, -1));
  }

  /// The modes are as they are wanted.
  void forget() {
    try {
      WholeFile.remove(file);
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("{} cannot be removed", file);
    }
  }
}
