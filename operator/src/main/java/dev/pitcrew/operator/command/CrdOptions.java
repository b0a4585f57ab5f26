package dev.pitcrew.operator.command;

import java.nio.file.Path;
import java.util.List;

/// Which definitions to install or remove.
///
/// @param files files and folders; empty for the definitions that come with the program
/// @param kubeconfig a file, or empty for the pod's service account or the user's default
/// @param debug say more when something fails
public record CrdOptions(List<Path> files, String kubeconfig, boolean debug) {
  public CrdOptions {
    files = List.copyOf(files);
  }
}
