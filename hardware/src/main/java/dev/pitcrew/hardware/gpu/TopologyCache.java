package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.inventory.Topology.Link;
import dev.pitcrew.device.inventory.Topology.Pair;
import dev.pitcrew.hardware.gpu.TopologyReader.Ways;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.LinkCalls;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/// The topology of the GPUs, read once: it changes only with the GPUs. One that goes and comes back
/// costs no reading.
final class TopologyCache {
  private static final Known NOTHING = new Known(Set.of(), Topology.UNKNOWN);

  private final LinkCalls links;
  private final IntFunction<Lane> lanes;
  private final AtomicReference<Known> known = new AtomicReference<>(NOTHING);

  /// @param members what was read
  private record Known(Set<Member> members, Topology topology) {}

  private record Member(String uuid, String address) {}

  TopologyCache(LinkCalls links, IntFunction<Lane> lanes) {
    this.links = links;
    this.lanes = lanes;
  }

  Topology of(List<GpuAt.Compute> gpus) {
    var members =
        gpus.stream()
            .map(found -> new Member(found.gpu().uuid(), found.gpu().pci().address()))
            .collect(Collectors.toUnmodifiableSet());
    var last = known.get();
    return last.members().containsAll(members)
        ? among(members, last.topology())
        : read(gpus, members);
  }

  private Topology read(List<GpuAt.Compute> gpus, Set<Member> members) {
    var reader = new TopologyReader(links, gpus);
    var jobs =
        gpus.stream()
            .map(gpu ->
                lanes
                    .apply(gpu.gpu().index())
                    .begin("reading the topology", () -> Answer.of(reader.from(gpu))))
            .toList();
    var ways = jobs.stream().map(job -> job.await().orElse(Ways.UNREAD)).toList();
    var found = new HashMap<Pair, Link>();
    ways.forEach(way -> found.putAll(way.links()));
    var topology = new Topology(found);
    if (ways.stream().allMatch(Ways::isComplete)) {
      known.set(new Known(members, topology));
    }
    return topology;
  }

  private static Topology among(Set<Member> members, Topology topology) {
    var uuids = members.stream().map(Member::uuid).collect(Collectors.toUnmodifiableSet());
    var found = new HashMap<Pair, Link>();
    topology
        .links()
        .forEach((pair, link) -> {
          if (uuids.contains(pair.from()) && uuids.contains(pair.to())) {
            found.put(pair, link);
          }
        });
    return new Topology(found);
  }
}
