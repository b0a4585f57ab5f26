package dev.pitcrew.agent.dra.claims.plan;

import java.util.List;
import java.util.Optional;

/// What kubelet is answered for one device of a claim.
///
/// @param requests names of main requests
/// @param cdiIds fully qualified CDI device names
/// @param shareId of the share that the claim has of a device that several claims hold
public record PreparedDevice(
    List<String> requests,
    String pool,
    String device,
    List<String> cdiIds,
    Optional<String> shareId) {
  public PreparedDevice {
    requests = List.copyOf(requests);
    cdiIds = List.copyOf(cdiIds);
  }
}
