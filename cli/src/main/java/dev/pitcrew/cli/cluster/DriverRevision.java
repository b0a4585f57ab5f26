package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;

/// A template that a DaemonSet of driver pods has or had.
///
/// @param daemonSet its uid
/// @param number the higher, the later it was asked for
/// @param image of the driver
public record DriverRevision(String daemonSet, long number, String image) {
  static DriverRevision of(Json revision) {
    return new DriverRevision(
        revision.at("metadata", "ownerReferences").items().stream()
            .map(it -> it.at("uid").text())
            .findFirst()
            .orElse(""),
        revision.at("revision").number(),
        DriverInstallation.of(revision.at("data", "spec", "template")).image());
  }
}
