package dev.pitcrew.agent.dra.domains;

import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.dra.claims.CheckpointPlace;
import java.nio.file.Files;
import java.nio.file.Path;

/// Where claims for ComputeDomains are kept, and what they depend on.
///
/// @param checkpoint in the driver's folder with kubelet
/// @param onHost that folder on the host
/// @param cdi the folder of the CDI files of claims
/// @param server has the ComputeDomains and the Node
public record DomainPlaces(
    CheckpointPlace checkpoint, Path onHost, SpecificationFolder cdi, ApiServer server) {
  private static final String FOLDERS = "domains";

  /// Whether claims were ever prepared there.
  public boolean hasCheckpoint() {
    return Files.exists(checkpoint.file());
  }

  DomainFolders folders() {
    return new DomainFolders(checkpoint.folder().resolve(FOLDERS), onHost.resolve(FOLDERS));
  }

  DomainObjects objects() {
    return new DomainObjects(server, checkpoint.node());
  }
}
