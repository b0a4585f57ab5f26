package dev.pitcrew.agent.nodestatus.plan;

import java.util.List;

/// How one GPU is.
///
/// @param index as the driver counts; empty where it does not list the GPU
/// @param uuid likewise
/// @param pciAddress which is known in any case
/// @param level as GPUNode has it
/// @param signs what speaks against it
public record SeenGpu(
    String index, String uuid, String pciAddress, String level, List<Sign> signs) {
  public SeenGpu {
    signs = List.copyOf(signs);
  }

  /// @param kind a word of a fixed list
  /// @param xid the number of an Xid; empty for any other kind
  public record Sign(String kind, String xid) {}
}
