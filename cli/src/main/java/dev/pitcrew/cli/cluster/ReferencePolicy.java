package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.List;
import java.util.Map;

/// A ClusterPolicy as the NVIDIA GPU Operator has it.
///
/// @param state such as `ready`
/// @param driver the version that it asks for; empty where it leaves drivers to the host or to
///   NVIDIADrivers
/// @param spec as maps, lists and scalars
/// @param byHand fields of the spec that users have set by hand, by the program
public record ReferencePolicy(
    String name,
    String created,
    String state,
    String driver,
    Map<?, ?> spec,
    Map<String, List<String>> byHand) {
  static ReferencePolicy of(Json policy) {
    Json metadata = policy.at("metadata");
    Json driver = policy.at("spec", "driver");
    boolean isAsked =
        !driver.at("enabled").value().equals(false) && !driver.at("useNvidiaDriverCRD").isTrue();
    return new ReferencePolicy(
        metadata.at("name").text(),
        metadata.at("creationTimestamp").text(),
        policy.at("status", "state").text(),
        isAsked ? driver.at("version").text() : "",
        policy.at("spec").value() instanceof Map<?, ?> spec ? spec : Map.of(),
        Managers.byHand(metadata));
  }
}
