package dev.pitcrew.agent.driver.plan;

import static dev.pitcrew.agent.driver.plan.Next.For.GPU_HOLDERS;
import static dev.pitcrew.agent.driver.plan.Next.For.HOST;
import static dev.pitcrew.agent.driver.plan.Next.For.KERNEL;
import static dev.pitcrew.agent.driver.plan.Next.For.NO_USER;
import static dev.pitcrew.agent.driver.plan.Next.For.OPERANDS;

import dev.pitcrew.agent.driver.plan.Next.Await;
import dev.pitcrew.core.names.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/// What to do next on a node where a driver is about to start, out of what was seen of it. Nothing
/// but that counts, so that it does not matter how the last attempt ended.
public final class DriverPlan {
  /// The order is the specification: what could spare the node comes before what disturbs it.
  private static final List<Function<Observed, Optional<Next>>> STEPS =
      List.of(
          DriverPlan::leaveToHost,
          DriverPlan::keep,
          DriverPlan::spareMachines,
          DriverPlan::install,
          DriverPlan::reboot,
          DriverPlan::spareHolders,
          DriverPlan::pause,
          DriverPlan::pauseAgent,
          DriverPlan::awaitOperands,
          DriverPlan::awaitAgent,
          DriverPlan::awaitKernel);

  private static final String LABEL_TAKES_AWAY =
      "the label %s=%s takes this pod away"
          .formatted(OperandLabels.DRIVER, OperandLabels.PRE_INSTALLED);

  /// No pod of a manager of virtual machines goes by a label of drivers, and the operator would
  /// take that off again.
  private static final String STANDS_IN_THE_WAY =
      "virtual machines get no GPU beside it; remove it and reboot, or label the Node %s=pitcrew to have it unloaded"
          .formatted(NodeLabels.OWNER_OF_DRIVER);

  private DriverPlan() {}

  public static Next next(Observed seen) {
    return STEPS.stream()
        .flatMap(step -> step.apply(seen).stream())
        .findFirst()
        .orElseGet(() -> new Next.Unload(seen.host().modules().toUnload()));
  }

  /// What would end every pause; empty where there is none.
  public static Map<String, String> toResume(Observed seen) {
    return seen.asked().operands().toResume(seen.node().labels());
  }

  private static Optional<Next> leaveToHost(Observed seen) {
    return seen.driverToKeep()
        .map(version -> {
          var labels = new TreeMap<>(toResume(seen));
          Optional<String> now =
              Optional.ofNullable(seen.node().labels().get(OperandLabels.DRIVER));
          if (now.filter(it -> !it.equals(OperandLabels.PRE_INSTALLED)).isPresent()) {
            labels.put(OperandLabels.DRIVER, OperandLabels.PRE_INSTALLED);
          }
          return new Next.LeaveToHost(
              labels,
              "the host has driver %s of its own: %s"
                  .formatted(version, now.isPresent() ? LABEL_TAKES_AWAY : STANDS_IN_THE_WAY));
        });
  }

  private static Optional<Next> keep(Observed seen) {
    return seen.isTheSame() ? Optional.of(new Next.Start(toResume(seen), true)) : Optional.empty();
  }

  private static Optional<Next> spareMachines(Observed seen) {
    List<String> machines = seen.host().machines();
    return machines.isEmpty() || seen.node().isForMachines()
        ? Optional.empty()
        : Optional.of(
            resumed(
                seen,
                new Await(
                    HOST,
                    "virtual machines that have GPUs (%s); shut them down, or move them to another node"
                        .formatted(String.join("; ", machines)))));
  }

  private static Optional<Next> install(Observed seen) {
    if (seen.host().modules().hasDriver()) {
      return Optional.empty();
    }
    return seen.host()
        .lacks()
        .<Next>map(lack -> new Await(HOST, lack))
        .or(() -> Optional.of(new Next.Start(toResume(seen), false)));
  }

  private static Optional<Next> reboot(Observed seen) {
    return seen.host()
        .stuckDriver()
        .filter(it -> it.holds(seen.host().bootId(), seen.host().modules()))
        .map(it -> resumed(seen, new Next.Reboot(it.words())));
  }

  /// Nothing is taken off the node for a driver that cannot go yet.
  private static Optional<Next> spareHolders(Observed seen) {
    List<String> holders = pods(seen).gpuHolders();
    return holders.isEmpty()
        ? Optional.empty()
        : Optional.of(
            resumed(
                seen,
                new Await(
                    GPU_HOLDERS,
                    "%s %s a GPU, so that another driver cannot be loaded; %s"
                        .formatted(
                            named("pod", holders),
                            holders.size() == 1 ? "holds" : "hold",
                            way(seen)))));
  }

  private static String way(Observed seen) {
    return seen.node().isUpgradedByOperator()
        ? "the operator evicts when it upgrades this node: set its label %s to upgrade-required, or delete them"
            .formatted(NodeLabels.UPGRADE_STATE)
        : "delete them, or turn on driver.upgradePolicy.autoUpgrade for the operator to evict";
  }

  private static Optional<Next> pause(Observed seen) {
    return Optional.of(seen.asked().operands().toPause(seen.node().labels()))
        .filter(labels -> !labels.isEmpty())
        .map(Next.Pause::new);
  }

  private static Optional<Next> pauseAgent(Observed seen) {
    return isReleased(seen)
        ? Optional.empty()
        : Optional.of(seen.asked().operands().toPauseAgent(seen.node().labels()))
            .filter(labels -> !labels.isEmpty())
            .map(Next.Pause::new);
  }

  private static Optional<Next> awaitOperands(Observed seen) {
    Map<String, Set<String>> selecting = pods(seen).selecting();
    var left = new TreeSet<String>();
    toResume(seen).keySet().forEach(label -> left.addAll(selecting.getOrDefault(label, Set.of())));
    return left.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Await(
                OPERANDS,
                "%s to end; see why in their status".formatted(named("pod", List.copyOf(left)))));
  }

  private static Optional<Next> awaitAgent(Observed seen) {
    return isReleased(seen)
        ? Optional.empty()
        : Optional.of(
            new Await(
                OPERANDS,
                "the node's agent to close NVML; see the condition DriverReady of the GPUNode"));
  }

  private static boolean isReleased(Observed seen) {
    return !pods(seen).hasAgent()
        || seen.host()
            .release()
            .filter(said -> said.answers(seen.node().version(), seen.host().bootId()))
            .isPresent();
  }

  private static Optional<Next> awaitKernel(Observed seen) {
    LoadedModules modules = seen.host().modules();
    List<String> users =
        Stream.concat(
                modules.foreignUser().map(it -> "kernel module " + it).stream(),
                seen.host().processes().users().stream())
            .toList();
    if (modules.inUse().isEmpty() && modules.foreignUser().isEmpty()) {
      return Optional.empty();
    }
    if (seen.host().isDriverUnused()) {
      return Optional.of(
          new Await(NO_USER, "modules in use whose user could not be found: " + modules.inUse()));
    }
    return Optional.of(
        new Await(
            KERNEL,
            users.isEmpty()
                ? "another program to release the driver (%s): this pod does not see the processes of the host; `fuser -v /dev/nvidia*` on the node lists them, such as those of a driver pod that is still terminating"
                    .formatted(modules.inUse())
                : "%s to release the driver (%s); end them"
                    .formatted(String.join(", ", users), modules.inUse())));
  }

  private static Next resumed(Observed seen, Next otherwise) {
    Map<String, String> labels = toResume(seen);
    return labels.isEmpty() ? otherwise : new Next.Resume(labels);
  }

  private static Observed.Pods pods(Observed seen) {
    return seen.pods()
        .orElseThrow(() -> new IllegalArgumentException("the pods were not looked at"));
  }

  private static String named(String what, List<String> names) {
    int most = 5;
    String more = names.size() > most ? " and %d more".formatted(names.size() - most) : "";
    String list = String.join(", ", names.subList(0, Math.min(most, names.size())));
    return (names.size() == 1 ? what : what + "s") + " " + list + more;
  }
}
