package dev.pitcrew.agent.status.plan;

/// Whether the agent offers devices to this node's kubelet.
public enum PluginState {
  ON,
  /// Another program does it here, or none.
  OFF,
  /// It resumes automatically, once another program is done with the driver.
  PAUSED
}
