package dev.pitcrew.agent.plugin;

import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Resource;
import dev.pitcrew.device.inventory.Topology;
import java.util.List;

/// One resource and all that is needed to answer the kubelet about it.
public record Offer(Resource resource, Topology topology, PluginSettings settings) {

  /// The offers of a node.
  public static List<Offer> of(
      Allocatable allocatable, Topology topology, PluginSettings settings) {
    return allocatable.resources().stream()
        .map(resource -> new Offer(resource, topology, settings))
        .toList();
  }

  /// The name of its socket in the kubelet's folder, such as `nvidia-mig-1g.10gb.sock`.
  String socketName() {
    return "nvidia-" + resource.localName() + ".sock";
  }
}
