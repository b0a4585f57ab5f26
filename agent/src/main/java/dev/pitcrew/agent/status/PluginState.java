package dev.pitcrew.agent.status;

/// Whether the agent offers devices to this node's kubelet.
public enum PluginState {
  ON,
  /// Somebody else does it here, or nobody.
  OFF,
  /// It will go on by itself, once somebody is done with the driver.
  PAUSED
}
