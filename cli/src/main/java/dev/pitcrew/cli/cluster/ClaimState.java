package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.List;

/// How far a ResourceClaim is.
///
/// @param classes of devices that it asks for
public record ClaimState(String name, boolean allocated, List<String> classes) {
  static ClaimState of(Json claim) {
    return new ClaimState(
        claim.at("metadata", "name").text(),
        !claim.at("status", "allocation").isEmpty(),
        claim.at("spec", "devices", "requests").items().stream()
            .map(it -> it.at("exactly", "deviceClassName").text())
            .filter(it -> !it.isEmpty())
            .distinct()
            .toList());
  }
}
