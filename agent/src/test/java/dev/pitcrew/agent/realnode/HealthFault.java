package dev.pitcrew.agent.realnode;

import dev.pitcrew.testbed.gpu.SimulatedNode;
import java.util.List;
import java.util.function.ObjIntConsumer;

/// What can be wrong with a GPU, and how it recovers.
///
/// @param level as GPUNode has it
/// @param evidence what GPUNode says of it, or a part of that
record HealthFault(
    String name,
    ObjIntConsumer<SimulatedNode> inject,
    ObjIntConsumer<SimulatedNode> recover,
    String level,
    String evidence) {
  static final HealthFault REMAP_PENDING =
      new HealthFault(
          "row remap pending",
          set("remap_pending", "1"),
          HealthFault::reset,
          "NeedsReset",
          "remap");

  static final List<HealthFault> ALL =
      List.of(
          new HealthFault(
              "Xid 79, driver reload",
              (node, gpu) -> node.xid(gpu, 79),
              (node, _) -> {
                node.unloadDriver();
                node.loadDriver();
              },
              "NeedsReboot",
              "Xid 79"),
          new HealthFault(
              "ECC, uncorrectable",
              SimulatedNode::doubleBitEccError,
              HealthFault::reset,
              "NeedsReset",
              "memory error"),
          REMAP_PENDING,
          new HealthFault(
              "row remap failed",
              set("remap_failed", "1"),
              set("remap_failed", "0"),
              "Replace",
              "remap"),
          new HealthFault(
              "NVLinks down",
              set("nvlinks_down", "3"),
              set("nvlinks_down", "0"),
              "NeedsReset",
              "NVLink"),
          new HealthFault(
              "recovery action: reset",
              set("recovery_action", "1"),
              HealthFault::reset,
              "NeedsReset",
              "asks for a reset"),
          new HealthFault(
              "recovery action: reboot",
              set("recovery_action", "2"),
              HealthFault::reset,
              "NeedsReboot",
              "asks for a reboot"),
          new HealthFault(
              "hung GPU",
              SimulatedNode::hang,
              SimulatedNode::release,
              "Degraded",
              "does not answer"),
          new HealthFault(
              "lost GPU", SimulatedNode::lose, SimulatedNode::restore, "NeedsReboot", "lost"),
          new HealthFault(
              "thermal slowdown (10 s)",
              set("clock_event_reasons", "64"),
              set("clock_event_reasons", "1"),
              "Degraded",
              "temperature"),
          new HealthFault(
              "power slowdown (10 s)",
              set("clock_event_reasons", "128"),
              set("clock_event_reasons", "1"),
              "Degraded",
              "power supply"));

  /// Whether pods are to be kept away by a taint.
  boolean isUnfit() {
    return !level.equals("Degraded");
  }

  /// Whether the kubelet and the pod that holds the GPU hear of it.
  boolean isDeviceUnhealthy() {
    return !name.contains("slowdown");
  }

  private static ObjIntConsumer<SimulatedNode> set(String key, String value) {
    return (node, gpu) -> node.set(gpu, key, value);
  }

  private static void reset(SimulatedNode node, int gpu) {
    node.simulate("reset", String.valueOf(gpu), "--force");
  }
}
