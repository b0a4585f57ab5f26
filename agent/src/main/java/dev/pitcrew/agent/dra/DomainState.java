package dev.pitcrew.agent.dra;

import java.util.Optional;

/// How the DRA driver for ComputeDomains stands.
///
/// @param offer whether ResourceSlices list its devices
/// @param unsuitable why claims for ComputeDomains cannot be prepared although they shall be
public record DomainState(DraState.Serving serving, Offer offer, Optional<String> unsuitable) {
  public static final DomainState NONE =
      new DomainState(new DraState.Serving.Off(), Offer.NEVER, Optional.empty());

  public enum Offer {
    /// No slice was published.
    NEVER,
    OFFERED,
    /// A slice was published and lists no devices any longer.
    WITHDRAWN
  }

  /// What keeps claims from being prepared.
  public Optional<String> problem() {
    return serving.problem().or(() -> unsuitable);
  }
}
