package dev.pitcrew.device.allocation;

import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.inventory.Topology.CommonAncestor;
import dev.pitcrew.device.inventory.Topology.Link;
import java.util.List;

/// How well two GPUs reach each other, as a number: near in the PCI tree is good, direct NVLinks
/// are far better (device plugin, preferred allocation, pair score).
final class PairScores {
  private static final int PER_NVLINK = 100;
  private static final int MOST_NVLINKS = 18;

  private final int[][] scores;

  private PairScores(int[][] scores) {
    this.scores = scores;
  }

  /// @param uuids of GPUs; the scores are asked for by place in this list
  static PairScores of(List<String> uuids, Topology topology) {
    int[][] scores = new int[uuids.size()][uuids.size()];
    for (int from = 0; from < uuids.size(); from++) {
      for (int to = from + 1; to < uuids.size(); to++) {
        scores[from][to] = score(topology.between(uuids.get(from), uuids.get(to)));
      }
    }
    return new PairScores(scores);
  }

  int between(int first, int second) {
    return first < second ? scores[first][second] : scores[second][first];
  }

  static int score(Link link) {
    return ofAncestor(link.ancestor()) + PER_NVLINK * Math.min(link.nvLinks(), MOST_NVLINKS);
  }

  private static int ofAncestor(CommonAncestor ancestor) {
    return switch (ancestor) {
      case INTERNAL -> 60;
      case SINGLE -> 50;
      case MULTIPLE -> 40;
      case HOST_BRIDGE -> 30;
      case NUMA_NODE -> 20;
      case SYSTEM -> 10;
    };
  }
}
