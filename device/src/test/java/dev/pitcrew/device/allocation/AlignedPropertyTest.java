package dev.pitcrew.device.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.Nodes;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.allocatable.Resource;
import dev.pitcrew.device.allocation.Preference.Request;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.inventory.Topology.CommonAncestor;
import dev.pitcrew.device.inventory.Topology.Link;
import dev.pitcrew.device.inventory.Topology.Pair;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class AlignedPropertyTest {
  private static final List<CommonAncestor> ANCESTORS =
      List.of(CommonAncestor.HOST_BRIDGE, CommonAncestor.NUMA_NODE, CommonAncestor.SYSTEM);

  @Property(tries = 400)
  void theAnswerIsThatOfThePlainEnumeration(
      @ForAll @IntRange(min = 1, max = 8) int gpus,
      @ForAll @IntRange(min = 1, max = 8) int size,
      @ForAll @IntRange(min = 0, max = 3) int required,
      @ForAll Random random) {
    Resource resource = gpus(gpus);
    List<String> available = new ArrayList<>(ids(resource));
    Collections.shuffle(available, random);
    Request request =
        new Request(
            available,
            available.stream().skip(gpus / 2).limit(required).toList(),
            Math.min(size, gpus));
    Topology topology = links(available, random);
    if (request.required().size() <= request.size()) {
      assertThat(Preference.of(resource, topology, SharedPolicy.DISTRIBUTED, request))
          .isEqualTo(new Preference.Chosen(new PlainEnumeration(topology, request).answer()));
    }
  }

  @Property(tries = 40)
  void aSetHasTheRightSizeAndWhatIsRequiredOnBigNodes(
      @ForAll @IntRange(min = 9, max = 20) int gpus,
      @ForAll @IntRange(min = 2, max = 9) int size,
      @ForAll Random random) {
    Resource resource = gpus(gpus);
    List<String> available = ids(resource);
    Request request = new Request(available, available.subList(3, 5), size);
    Preference preference =
        Preference.of(resource, links(available, random), SharedPolicy.PACKED, request);
    assertThat(preference).isInstanceOf(Preference.Chosen.class);
    assertThat(((Preference.Chosen) preference).ids())
        .hasSize(size)
        .doesNotHaveDuplicates()
        .containsAll(request.required());
  }

  static Resource gpus(int count) {
    return Allocatable.from(Nodes.withGpus(count), MigStrategy.NONE, Sharing.NONE, Health.ALL_WELL)
        .resource("nvidia.com/gpu")
        .orElseThrow();
  }

  static List<String> ids(Resource resource) {
    return resource.devices().stream().map(Device::id).toList();
  }

  /// Few different links, so that many sets are equally good.
  static Topology links(List<String> uuids, Random random) {
    Map<Pair, Link> links = new HashMap<>();
    for (String from : uuids) {
      for (String to : uuids) {
        Link link =
            links.getOrDefault(
                new Pair(to, from),
                new Link(
                    ANCESTORS.get(random.nextInt(ANCESTORS.size())),
                    random.nextInt(3) == 0 ? 2 : 0));
        links.put(new Pair(from, to), link);
      }
    }
    return new Topology(links);
  }
}
