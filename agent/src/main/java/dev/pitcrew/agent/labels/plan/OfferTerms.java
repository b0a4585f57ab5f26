package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.device.sharing.Sharing.SharedResource;
import dev.pitcrew.device.sharing.Sharing.Strategy;
import java.util.Optional;

/// How a resource is offered: how often, shared by what, and whether its product says so.
///
/// @param isMarked whether `-SHARED` is added to the product: the replicas have no name of their
///   own
record OfferTerms(int replicas, Strategy strategy, boolean isMarked) {
  /// A GPU in MIG mode is not offered as a whole.
  static final OfferTerms NOT_AS_A_WHOLE = new OfferTerms(0, Strategy.NONE, false);

  private static final OfferTerms ONCE = new OfferTerms(1, Strategy.NONE, false);

  static OfferTerms of(String resource, Sharing sharing) {
    Optional<SharedResource> shared = sharing.of(resource);
    return shared
        .map(
            entry -> new OfferTerms(entry.replicas(), sharing.strategy(), entry.rename().isEmpty()))
        .orElse(ONCE);
  }
}
