package dev.pitcrew.operator.requests;

import java.util.Collection;

/// What one pod can choose from.
///
/// @param everywhere what all nodes have
/// @param allowed what those have on which it may run
public record Choice(Placement placement, GpuSupply everywhere, GpuSupply allowed) {

  /// @param everywhere what all of the nodes have
  public static Choice of(Placement placement, GpuSupply everywhere, Collection<NodeOffer> nodes) {
    GpuSupply allowed =
        placement.isAnywhere()
            ? everywhere
            : GpuSupply.of(nodes.stream().filter(placement::allows).toList());
    return new Choice(placement, everywhere, allowed);
  }
}
