package dev.pitcrew.testbed.demo;

import io.fabric8.kubernetes.api.model.Node;

/// Where a node stands in a roll-out.
///
/// @param state by its label, such as `upgrade-done`; `-` where it has none
/// @param driver the version that its agent sees
/// @param blocker what it waits for; empty where it waits for nothing
/// @param next what comes then
record RollOutNode(
    String name,
    String wave,
    String state,
    String driver,
    String blocker,
    String next,
    boolean isCordoned) {
  static final String DONE = "upgrade-done";
  static final String FAILED = "upgrade-failed";
  static final String WAITING = "upgrade-required";
  private static final String STATE = "nvidia.com/gpu-driver-upgrade-state";

  static RollOutNode of(Node node, String wave, GpuNodeView gpuNode) {
    return new RollOutNode(
        node.getMetadata().getName(),
        wave,
        node.getMetadata().getLabels().getOrDefault(STATE, "-"),
        gpuNode.driver(),
        gpuNode.rollout().blocker(),
        gpuNode.rollout().next(),
        Boolean.TRUE.equals(node.getSpec().getUnschedulable()));
  }

  boolean hasDriver(String version) {
    return state.equals(DONE) && driver.equals(version);
  }
}
