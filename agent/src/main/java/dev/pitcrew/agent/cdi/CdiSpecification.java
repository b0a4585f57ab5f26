package dev.pitcrew.agent.cdi;

import java.util.List;

/// One specification: the devices of a kind, and what a container gets once with any of them.
public record CdiSpecification(CdiKind kind, List<CdiDevice> devices, ContainerEdits common) {
  public CdiSpecification {
    devices = List.copyOf(devices);
  }
}
