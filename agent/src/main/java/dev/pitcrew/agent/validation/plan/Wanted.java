package dev.pitcrew.agent.validation.plan;

/// What this node is to have besides the driver.
///
/// @param handler the name of the container runtime's handler for GPUs, such as `nvidia`
/// @param toolkit whether the container runtime is to be set up
/// @param plugin whether the GPUs are to be offered to the kubelet
/// @param rdma whether memory of GPUs is to be reached over the network
/// @param hostMofed whether the network driver is the host's own
/// @param gds GPUDirect Storage
/// @param gdrcopy GDRCopy
public record Wanted(
    String handler,
    boolean toolkit,
    boolean plugin,
    boolean rdma,
    boolean hostMofed,
    boolean gds,
    boolean gdrcopy) {
  /// The usual node.
  public static final Wanted USUAL = new Wanted("nvidia", true, true, false, false, false, false);
}
