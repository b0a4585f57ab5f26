package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.health.SwitchError;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.NodeCondition;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What NVSwitches report against themselves: a part of the message of the condition `Healthy`, and
/// no more. An SXid names no GPU, so that it says of none that it cannot be used.
final class SwitchVerdict {
  static final String REASON = "NVSwitchError";
  private static final String BEGINS = "NVSwitch ";
  private static final String BETWEEN = "; ";
  private static final int MOST = 4;
  private static final String REMEDY =
      "where jobs that use NVLink fail, drain and reboot the node; see docs/unhealthy-gpu.md#nvswitches";

  private SwitchVerdict() {}

  /// Those that are fatal to the fabric; empty where there are none.
  static Optional<String> text(Optional<NodeSnapshot.WithDriver> snapshot) {
    List<SwitchError> fatal =
        snapshot.stream()
            .flatMap(it -> it.log().switches().stream())
            .filter(SwitchError::isFatal)
            .toList();
    return fatal.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Stream.concat(fatal.stream().limit(MOST).map(SwitchError::toString), Stream.of(REMEDY))
                .collect(Collectors.joining(BETWEEN)));
  }

  /// An Event for each that was not said before.
  static Stream<NodeEvent> events(GpuNodeStatus before, GpuNodeStatus after) {
    Set<String> last = said(before).collect(Collectors.toSet());
    return said(after)
        .filter(it -> !last.contains(it))
        .map(it -> NodeEvent.warning(REASON, it + BETWEEN + REMEDY));
  }

  private static Stream<String> said(GpuNodeStatus status) {
    return status.condition(NodeCondition.HEALTHY).map(Condition::message).stream()
        .flatMap(it -> Arrays.stream(it.split(BETWEEN, -1)))
        .filter(it -> it.startsWith(BEGINS));
  }
}
