package dev.pitcrew.operator.command;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Which definitions to install or remove.
///
/// @param files files and folders; empty for the definitions that come with the program
/// @param kubeconfig a file, or empty for the pod's service account or the user's default
/// @param debug say more when something fails
/// @param fleetPolicy as JSON: one to create with the definitions, where there is none
public record CrdOptions(
    List<Path> files, String kubeconfig, boolean debug, Optional<String> fleetPolicy) {
  public CrdOptions {
    files = List.copyOf(files);
  }

  /// Definitions alone.
  public CrdOptions(List<Path> files, String kubeconfig, boolean debug) {
    this(files, kubeconfig, debug, Optional.empty());
  }
}
