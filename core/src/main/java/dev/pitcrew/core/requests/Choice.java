package dev.pitcrew.core.requests;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// What one pod can choose from.
///
/// @param everywhere what all nodes have
/// @param allowed what those have on which it may run, taints apart
/// @param open what those of them have whose taints it tolerates
/// @param closed the others of them
public record Choice(
    Placement placement,
    GpuSupply everywhere,
    GpuSupply allowed,
    GpuSupply open,
    List<NodeOffer> closed) {

  public Choice {
    closed = List.copyOf(closed);
  }

  /// @param everywhere what all of the nodes have
  public static Choice of(Placement placement, GpuSupply everywhere, Collection<NodeOffer> nodes) {
    List<NodeOffer> chosen = nodes.stream().filter(placement::allows).toList();
    GpuSupply allowed = placement.isAnywhere() ? everywhere : GpuSupply.of(chosen);
    var closed = new ArrayList<NodeOffer>();
    var open = new ArrayList<NodeOffer>();
    for (NodeOffer node : chosen) {
      (node.untolerated(placement.tolerations()).isEmpty() ? open : closed).add(node);
    }
    return new Choice(
        placement, everywhere, allowed, closed.isEmpty() ? allowed : GpuSupply.of(open), closed);
  }
}
