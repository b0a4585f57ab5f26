package dev.pitcrew.agent.dra.claims.plan;

/// Which sharing strategies claims may ask for. Each is a feature gate of the DRA driver, off by
/// default there.
public record FeatureSwitches(boolean timeSlicing, boolean mps) {
  static final String TIME_SLICING = "TimeSlicingSettings";
  static final String MPS = "MPSSupport";
}
