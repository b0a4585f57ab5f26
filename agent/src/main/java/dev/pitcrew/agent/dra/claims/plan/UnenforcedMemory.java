package dev.pitcrew.agent.dra.claims.plan;

import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation.Result;
import dev.pitcrew.device.dra.ClaimDevice;
import java.util.List;
import java.util.Optional;

/// The memory that a claim has of devices that it shares. The scheduler counts it, and nothing
/// keeps the processes of the claim to it: NVIDIA's driver has no limit of memory for a process
/// other than that of an MPS client, and a device that claims share has no MPS server.
public final class UnenforcedMemory {
  private UnenforcedMemory() {}

  /// @return a sentence for each device of which the claim has a part of the memory
  public static List<String> of(ClaimObject claim, NodeDevices node) {
    return ClaimAllocation.results(claim.status(), ClaimDevice.DRIVER).stream()
        .filter(result -> result.shareId().isPresent())
        .flatMap(result -> part(result, node).map(part -> text(claim, result, part, node)).stream())
        .distinct()
        .toList();
  }

  /// Empty for none of it, which a claim has that did not ask for an amount, and for all of it.
  private static Optional<String> part(Result result, NodeDevices node) {
    return result
        .memory()
        .filter(text ->
            MemoryQuantity.bytes(text)
                .filter(bytes -> bytes > 0 && bytes < memory(result.device(), node))
                .isPresent());
  }

  private static long memory(String name, NodeDevices node) {
    return switch (node.devices().get(name)) {
      case ClaimDevice.WholeGpu(var gpu) -> gpu.board().memoryBytes();
      case ClaimDevice.MigPart(_, var part) -> part.memoryBytes();
      case ClaimDevice.Partition _, ClaimDevice.Passthrough _ -> 0;
      case null -> 0;
    };
  }

  private static String text(ClaimObject claim, Result result, String part, NodeDevices node) {
    return "claim %s, request %s: the share has %s of the memory of device %s of node %s, and nothing keeps processes from using more; have the program limit itself, or claim a MIG device"
        .formatted(claim.text(), result.request(), part, result.device(), node.node());
  }
}
