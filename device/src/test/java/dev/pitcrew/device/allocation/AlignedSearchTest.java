package dev.pitcrew.device.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.allocatable.Resource;
import dev.pitcrew.device.allocation.Preference.Request;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.inventory.Topology.CommonAncestor;
import dev.pitcrew.device.inventory.Topology.Link;
import dev.pitcrew.device.inventory.Topology.Pair;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Each size on the largest servers is answered in full: a search that tries every combination
/// would not end.
@Timeout(60)
class AlignedSearchTest {
  private static final int QUESTIONS = 5;

  @ParameterizedTest
  @CsvSource({"8, NVSWITCH", "8, TREE", "8, MESH", "16, NVSWITCH", "16, TREE", "16, MESH"})
  void everySizeIsAnswered(int gpus, Server server) {
    Resource resource = AlignedPropertyTest.gpus(gpus);
    List<String> uuids = AlignedPropertyTest.ids(resource);
    Topology topology = topology(uuids, server);
    Random random = new Random(1);
    for (int size = 1; size <= gpus; size++) {
      for (int question = 0; question < QUESTIONS; question++) {
        Request request = new Request(shuffled(uuids, random), List.of(), size);
        assertThat(Preference.of(resource, topology, SharedPolicy.DISTRIBUTED, request))
            .isInstanceOfSatisfying(
                Preference.Chosen.class,
                chosen ->
                    assertThat(chosen.ids())
                        .hasSize(request.size())
                        .doesNotHaveDuplicates()
                        .isSubsetOf(uuids));
      }
    }
  }

  enum Server {
    /// All GPUs reach each other over switches, which is no direct link; two NUMA nodes.
    NVSWITCH,
    /// Two GPUs on a PCIe switch, four below a bridge.
    TREE,
    /// Direct NVLinks to some of the others.
    MESH;

    Link link(int from, int to, int gpus) {
      return new Link(ancestor(from, to, gpus), this == MESH ? nvLinks(from ^ to) : 0);
    }

    private static int nvLinks(int difference) {
      if (difference % 3 == 1) {
        return 2;
      }
      return difference % 5 == 2 ? 1 : 0;
    }

    private CommonAncestor ancestor(int from, int to, int gpus) {
      if (this == TREE && from / 2 == to / 2) {
        return CommonAncestor.SINGLE;
      }
      if (this == TREE && from / 4 == to / 4) {
        return CommonAncestor.HOST_BRIDGE;
      }
      return from / (gpus / 2) == to / (gpus / 2)
          ? CommonAncestor.NUMA_NODE
          : CommonAncestor.SYSTEM;
    }
  }

  private static Topology topology(List<String> uuids, Server server) {
    Map<Pair, Link> links = new HashMap<>();
    for (int from = 0; from < uuids.size(); from++) {
      for (int to = 0; to < uuids.size(); to++) {
        links.put(new Pair(uuids.get(from), uuids.get(to)), server.link(from, to, uuids.size()));
      }
    }
    return new Topology(links);
  }

  private static List<String> shuffled(List<String> uuids, Random random) {
    List<String> shuffled = new ArrayList<>(uuids);
    Collections.shuffle(shuffled, random);
    return shuffled;
  }
}
