package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.Topology.CommonAncestor;
import dev.pitcrew.device.inventory.Topology.Link;
import dev.pitcrew.device.inventory.Topology.Pair;
import dev.pitcrew.hardware.nvml.DeviceHandle;
import dev.pitcrew.hardware.nvml.LinkCalls;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// Reads the ways from one GPU to the others (device plugin specification, aligned allocation).
final class TopologyReader {
  private final LinkCalls links;
  private final List<GpuAt.Compute> gpus;

  /// The ways from one GPU; a pair that could not be read is missing.
  record Ways(Map<Pair, Link> links, boolean isComplete) {
    static final Ways UNREAD = new Ways(Map.of(), false);

    Ways {
      links = Map.copyOf(links);
    }
  }

  TopologyReader(LinkCalls links, List<GpuAt.Compute> gpus) {
    this.links = links;
    this.gpus = gpus;
  }

  Ways from(GpuAt.Compute gpu) {
    var counts = nvLinks(gpu.handle());
    var found = new HashMap<Pair, Link>();
    var others = gpus.stream().filter(other -> other.gpu().index() != gpu.gpu().index()).toList();
    for (var other : others) {
      int direct = counts.getOrDefault(other.gpu().pci().address(), 0);
      var pair = new Pair(gpu.gpu().uuid(), other.gpu().uuid());
      links
          .commonAncestor(gpu.handle(), other.handle())
          .ifNotSupported(CommonAncestor.SYSTEM)
          .toOptional()
          .ifPresent(ancestor -> found.put(pair, new Link(ancestor, direct)));
    }
    return new Ways(found, found.size() == others.size());
  }

  /// How many active NVLinks lead to each PCI address: of GPUs, and of switches, which no GPU has.
  private Map<String, Integer> nvLinks(DeviceHandle gpu) {
    var counts = new HashMap<String, Integer>();
    IntStream.range(0, LinkCalls.LINKS)
        .filter(link -> links.isActive(gpu, link).orElse(false))
        .mapToObj(link -> links.remoteAddress(gpu, link))
        .forEach(remote -> remote.toOptional().ifPresent(at -> counts.merge(at, 1, Integer::sum)));
    return counts;
  }
}
