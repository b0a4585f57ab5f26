package dev.pitcrew.agent.host;

/// The kinds of hosts that are distinguished. What is known of each is in a table beside it.
public enum HostKind {
  BOTTLEROCKET("Bottlerocket"),
  TALOS("Talos"),
  CONTAINER_OPTIMIZED_OS("ContainerOptimizedOS"),
  FLATCAR("Flatcar"),
  CORE_OS("CoreOS"),
  DGX_OS("DGXOS"),
  EKS("EKS"),
  GKE("GKE"),
  AKS("AKS"),
  PLAIN("Plain");

  private final String text;

  HostKind(String text) {
    this.text = text;
  }

  /// As GPUNode has it.
  public String text() {
    return text;
  }

  /// Whether what is on such hosts came with an image from a vendor, for a cloud or an appliance.
  public boolean isImage() {
    return switch (this) {
      case BOTTLEROCKET, TALOS, CONTAINER_OPTIMIZED_OS, DGX_OS, EKS, GKE, AKS -> true;
      case FLATCAR, CORE_OS, PLAIN -> false;
    };
  }
}
