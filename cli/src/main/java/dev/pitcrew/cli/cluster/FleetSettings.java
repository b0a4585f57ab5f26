package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;

/// What a FleetPolicy says of GPUs that need something.
///
/// @param resetGpus whether agents reset a GPU that needs it
/// @param recoverAfterSeconds without evidence until a degraded GPU counts as healthy
/// @param busy what is done about pods that are in the way of a MIG layout: `Wait`, `Evict` or
///   `Refuse`
public record FleetSettings(boolean resetGpus, long recoverAfterSeconds, String busy) {
  /// Of the definition: the API server fills in only what stands below a section that is there.
  private static final long RECOVER_AFTER_SECONDS = 300;

  private static final String BUSY = "Wait";

  static FleetSettings of(Json fleetPolicy) {
    Json health = fleetPolicy.at("spec", "health");
    long seconds = health.at("recoverAfterSeconds").number();
    String busy = fleetPolicy.at("spec", "mig", "busy").text();
    return new FleetSettings(
        health.at("resetGpus").isTrue(),
        seconds > 0 ? seconds : RECOVER_AFTER_SECONDS,
        busy.isEmpty() ? BUSY : busy);
  }
}
