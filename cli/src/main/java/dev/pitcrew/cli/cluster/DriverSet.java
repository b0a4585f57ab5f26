package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;

/// A DaemonSet of driver pods.
///
/// @param uid by which its pods name it
public record DriverSet(String uid, DriverInstallation template) {
  static DriverSet of(Json daemonSet) {
    return new DriverSet(
        daemonSet.at("metadata", "uid").text(),
        DriverInstallation.of(daemonSet.at("spec", "template")));
  }
}
