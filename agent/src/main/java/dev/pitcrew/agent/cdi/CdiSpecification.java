package dev.pitcrew.agent.cdi;

import java.util.List;
import java.util.Optional;

/// One specification: the devices of a kind, and what a container gets once with any of them.
///
/// @param owner for whom it is transient, such as a claim's UID; its file goes with it
public record CdiSpecification(
    CdiKind kind, List<CdiDevice> devices, ContainerEdits common, Optional<String> owner) {
  public CdiSpecification {
    devices = List.copyOf(devices);
  }

  /// For as long as the node has the devices.
  public CdiSpecification(CdiKind kind, List<CdiDevice> devices, ContainerEdits common) {
    this(kind, devices, common, Optional.empty());
  }
}
