package dev.pitcrew.agent.dra.plan;

/// Which side serves a GPU. No GPU is served by two: a withdrawn one is served by neither until the
/// side that it leaves has released it.
public enum GpuSide {
  /// The device plugin offers it as an extended resource.
  PLUGIN,
  /// The device plugin offers it no longer; whether a pod got it meanwhile is still to be checked.
  LEAVES_PLUGIN,
  /// A ResourceSlice lists it.
  CLAIMS,
  /// No ResourceSlice lists it any longer; a claim may still be allocated to it.
  LEAVES_CLAIMS;

  /// Whether claims that are allocated to it are prepared.
  public boolean preparesClaims() {
    return this == CLAIMS || this == LEAVES_CLAIMS;
  }
}
