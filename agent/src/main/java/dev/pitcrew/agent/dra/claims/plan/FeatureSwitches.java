package dev.pitcrew.agent.dra.claims.plan;

/// Which features of the DRA driver are on. The names are those of the feature gates of NVIDIA's
/// DRA driver.
///
/// @param timeSlicing whether claims may set the time slice of their GPUs
/// @param mps whether claims may share their devices by MPS
/// @param dynamicMig whether MIG devices are made when a claim is prepared
public record FeatureSwitches(boolean timeSlicing, boolean mps, boolean dynamicMig) {
  static final String TIME_SLICING = "TimeSlicingSettings";
  static final String MPS = "MPSSupport";
}
