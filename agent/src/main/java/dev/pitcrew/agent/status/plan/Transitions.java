package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.validation.Blocker;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.api.node.SharingStatus;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The Events of a change: what was said before is the live GPUNode, so that a restarted agent
/// reports nothing twice. What is good and was never said otherwise is no event.
public final class Transitions {
  private static final Set<String> PROBLEMS =
      Stream.of(NodeProblem.Cause.values())
          .map(NodeProblem.Cause::reason)
          .collect(Collectors.toUnmodifiableSet());

  private static final Set<String> BLOCKERS =
      Stream.of(Blocker.Cause.values())
          .map(Blocker.Cause::reason)
          .collect(Collectors.toUnmodifiableSet());

  private final GpuNodeStatus before;
  private final GpuNodeStatus after;

  private Transitions(GpuNodeStatus before, GpuNodeStatus after) {
    this.before = before;
    this.after = after;
  }

  /// @param before what the live object says, [GpuNodeStatus#ABSENT] where there is none
  /// @param after what it is to say
  public static List<NodeEvent> of(GpuNodeStatus before, GpuNodeStatus after) {
    var transitions = new Transitions(before, after);
    return Stream.of(
            transitions.discovered(),
            transitions.driver(),
            transitions.runtime(),
            GpuTransitions.of(before, after),
            SwitchVerdict.events(before, after),
            transitions.sharing(),
            transitions.devices(),
            MigVerdict.events(before, after),
            transitions.validated())
        .flatMap(events -> events)
        .toList();
  }

  private Stream<NodeEvent> discovered() {
    return turned(NodeCondition.DISCOVERED)
        .map(now ->
            now.isTrue()
                ? NodeEvent.normal("GpusFound", now.message())
                : NodeEvent.warning("GpusGone", now.message()));
  }

  /// A cause that has a name is reported also on a node that never had a driver, and when another
  /// one takes its place.
  private Stream<NodeEvent> driver() {
    Optional<Condition> blocked =
        causeOf(NodeCondition.DRIVER_READY).filter(now -> BLOCKERS.contains(now.reason()));
    if (blocked.isPresent()) {
      return blocked.map(Transitions::warning).stream();
    }
    Stream<NodeEvent> turned =
        turned(NodeCondition.DRIVER_READY)
            .filter(now -> !BLOCKERS.contains(now.reason()))
            .map(now -> {
              if (now.isTrue()) {
                return NodeEvent.normal(now.reason(), now.message());
              }
              return now.reason().equals(NodeVerdicts.PAUSED)
                  ? NodeEvent.normal("DriverPaused", now.message())
                  : NodeEvent.warning("DriverGone", now.message());
            });
    return Stream.concat(turned, otherVersion());
  }

  private Stream<NodeEvent> runtime() {
    Stream<NodeEvent> recovered =
        turned(NodeCondition.RUNTIME_READY)
            .filter(Condition::isTrue)
            .map(now -> NodeEvent.normal("RuntimeReady", now.message()));
    return Stream.concat(
        recovered, causeOf(NodeCondition.RUNTIME_READY).stream().map(Transitions::warning));
  }

  /// A driver's cause is reported as that of the driver.
  private Stream<NodeEvent> validated() {
    Stream<NodeEvent> passed =
        turned(NodeCondition.VALIDATED)
            .filter(Condition::isTrue)
            .map(now -> NodeEvent.normal("Validated", now.message()));
    Stream<NodeEvent> failed =
        causeOf(NodeCondition.VALIDATED).stream()
            .filter(now -> !isReportedElsewhere(now) && !BLOCKERS.contains(now.reason()))
            .map(Transitions::warning);
    return Stream.concat(passed, failed);
  }

  /// A condition that is false, unless it was so before for the same reason.
  private Optional<Condition> causeOf(NodeCondition type) {
    Optional<Condition> last = before.condition(type);
    return after
        .condition(type)
        .filter(now -> now.status().equals(Verdict.FALSE))
        .filter(now ->
            last.filter(it -> it.status().equals(now.status()))
                .filter(it -> it.reason().equals(now.reason()))
                .isEmpty());
  }

  private static NodeEvent warning(Condition now) {
    return NodeEvent.warning(now.reason(), now.message());
  }

  /// A driver that was replaced between two observations.
  private Stream<NodeEvent> otherVersion() {
    String last = before.driver().version();
    String now = after.driver().version();
    return last == null || now == null || last.equals(now)
        ? Stream.empty()
        : Stream.of(
            NodeEvent.normal("DriverChanged", "driver %s came after %s".formatted(now, last)));
  }

  private Stream<NodeEvent> sharing() {
    SharingStatus last = before.sharing();
    SharingStatus now = after.sharing();
    boolean isOther =
        !Objects.equals(last.strategy(), now.strategy())
            || !Objects.equals(last.replicas(), now.replicas())
            || !Objects.equals(last.config(), now.config());
    return last.isAbsent() || now.strategy() == null || !isOther
        ? Stream.empty()
        : Stream.of(NodeEvent.normal("ConfigurationApplied", text(now)));
  }

  private static String text(SharingStatus sharing) {
    String config =
        sharing.config() == null ? "" : "configuration %s: ".formatted(sharing.config());
    String shared =
        switch (Objects.requireNonNull(sharing.strategy())) {
          case NONE -> "GPUs are not shared";
          case TIME_SLICING -> "GPUs are shared by time-slicing";
          case MPS -> "GPUs are shared by MPS";
        };
    String replicas =
        sharing.replicas() == null ? "" : ", by up to %d pods".formatted(sharing.replicas());
    return config + shared + replicas;
  }

  /// Of the devices, or where the device plugin is not the agent's, of the node as a whole.
  private Stream<NodeEvent> devices() {
    NodeCondition type =
        after.condition(NodeCondition.DEVICES_ADVERTISED).isPresent()
            ? NodeCondition.DEVICES_ADVERTISED
            : NodeCondition.READY;
    Optional<Condition> last = before.condition(type);
    return after.condition(type).stream()
        .filter(now -> last.filter(it -> saysTheSame(it, now)).isEmpty())
        .flatMap(now -> devices(type, last, now).stream());
  }

  private static Optional<NodeEvent> devices(
      NodeCondition type, Optional<Condition> last, Condition now) {
    if (PROBLEMS.contains(now.reason())) {
      return Optional.of(NodeEvent.warning(now.reason(), now.message()));
    }
    Optional<String> problemBefore = last.map(Condition::reason).filter(PROBLEMS::contains);
    if (now.isTrue() && problemBefore.isPresent()) {
      return Optional.of(NodeEvent.normal(solved(problemBefore.get()), now.message()));
    }
    if (type == NodeCondition.READY || last.isEmpty()) {
      return Optional.empty();
    }
    if (now.isTrue()) {
      return Optional.of(NodeEvent.normal("DevicesAdvertised", now.message()));
    }
    return now.status().equals(Verdict.FALSE) && last.get().isTrue() && !isReportedElsewhere(now)
        ? Optional.of(NodeEvent.warning(now.reason(), now.message()))
        : Optional.empty();
  }

  private static String solved(String reason) {
    return reason.equals(NodeProblem.Cause.CONFIGURATION_INVALID.reason())
        ? "ConfigurationApplied"
        : "DevicesAdvertised";
  }

  /// A cause that has an Event of its own.
  private static boolean isReportedElsewhere(Condition now) {
    return Set.of(NodeVerdicts.PAUSED, NodeVerdicts.DRIVER_NOT_READY, NodeVerdicts.NO_GPU)
        .contains(now.reason());
  }

  private static boolean saysTheSame(Condition last, Condition now) {
    return last.status().equals(now.status())
        && last.reason().equals(now.reason())
        && last.message().equals(now.message());
  }

  /// A condition that was true and no longer is, or that is true now and was something else.
  private Stream<Condition> turned(NodeCondition type) {
    Optional<Condition> last = before.condition(type);
    return after.condition(type).stream()
        .filter(now -> !now.status().equals(Verdict.UNKNOWN))
        .filter(now -> last.filter(it -> it.isTrue() != now.isTrue()).isPresent());
  }
}
