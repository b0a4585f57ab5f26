package dev.pitcrew.api.node;

/// The conditions of a GPUNode, in the order in which a node reaches them.
public enum NodeCondition {
  /// GPUs were found on the PCI bus.
  DISCOVERED("Discovered"),
  /// The driver is loaded and answers.
  DRIVER_READY("DriverReady"),
  /// Containers can be given GPUs.
  RUNTIME_READY("RuntimeReady"),
  /// The kubelet knows the devices.
  DEVICES_ADVERTISED("DevicesAdvertised"),
  /// The MIG layout is as desired.
  MIG_CONFIGURED("MIGConfigured"),
  /// The node passed its validation.
  VALIDATED("Validated"),
  /// No GPU is worse than healthy.
  HEALTHY("Healthy"),
  /// All of these together.
  READY("Ready");

  private final String type;

  NodeCondition(String type) {
    this.type = type;
  }

  /// The condition's type as the object has it.
  public String type() {
    return type;
  }
}
