package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.inventory.Topology.Link;
import dev.pitcrew.device.inventory.Topology.Pair;
import dev.pitcrew.hardware.gpu.TopologyReader.Ways;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.LinkCalls;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/// The topology of the GPUs, read once: it changes only with the GPUs. One that goes and comes back
/// costs no reading. Not for several threads.
final class TopologyCache {
  private static final Known NOTHING = new Known(Set.of(), Topology.UNKNOWN);

  private final LinkCalls links;
  private final IntFunction<Lane> lanes;
  private Known known = NOTHING;
  private Optional<Unfinished> unfinished = Optional.empty();

  /// @param members what was read
  private record Known(Set<Member> members, Topology topology) {}

  private record Member(String uuid, String address) {}

  /// A reading on its way.
  private record Unfinished(Set<Member> members, List<Job<Ways>> jobs) {}

  TopologyCache(LinkCalls links, IntFunction<Lane> lanes) {
    this.links = links;
    this.lanes = lanes;
  }

  /// What is known of it after `timeout`.
  Topology of(List<GpuAt.Compute> gpus, Duration timeout) {
    var members =
        gpus.stream()
            .map(found -> new Member(found.gpu().uuid(), found.gpu().pci().address()))
            .collect(Collectors.toUnmodifiableSet());
    if (known.members().containsAll(members)) {
      return among(members);
    }
    var reading =
        unfinished
            .filter(begun -> begun.members().equals(members))
            .orElseGet(() -> new Unfinished(members, begin(gpus)));
    return finish(reading, timeout);
  }

  private List<Job<Ways>> begin(List<GpuAt.Compute> gpus) {
    var reader = new TopologyReader(links, gpus);
    return gpus.stream()
        .map(gpu ->
            lanes
                .apply(gpu.gpu().index())
                .begin("reading the topology", () -> Answer.of(reader.from(gpu))))
        .toList();
  }

  private Topology finish(Unfinished reading, Duration timeout) {
    var answers = reading.jobs().stream().map(job -> job.within(timeout)).toList();
    var ways =
        answers.stream().flatMap(Optional::stream).map(it -> it.orElse(Ways.UNREAD)).toList();
    var found = new HashMap<Pair, Link>();
    ways.forEach(way -> found.putAll(way.links()));
    var topology = new Topology(found);
    unfinished = Optional.of(reading).filter(_ -> ways.size() < answers.size());
    if (unfinished.isEmpty() && ways.stream().allMatch(Ways::isComplete)) {
      known = new Known(reading.members(), topology);
    }
    return topology;
  }

  private Topology among(Set<Member> members) {
    Topology topology = known.topology();
    if (members.equals(known.members())) {
      return topology;
    }
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
