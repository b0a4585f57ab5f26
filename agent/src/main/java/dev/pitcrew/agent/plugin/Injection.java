package dev.pitcrew.agent.plugin;

/// What can be given to every container with a GPU besides its GPUs, in the order in which CDI
/// devices are named.
public enum Injection {
  GDRCOPY("gdrcopy", "NVIDIA_GDRCOPY"),
  GDS("gds", "NVIDIA_GDS"),
  MOFED("mofed", "NVIDIA_MOFED");

  private final String cdiClass;
  private final String variable;

  Injection(String cdiClass, String variable) {
    this.cdiClass = cdiClass;
    this.variable = variable;
  }

  /// The class of its CDI specification.
  public String cdiClass() {
    return cdiClass;
  }

  /// The variable that requests it from the container toolkit.
  String variable() {
    return variable;
  }
}
