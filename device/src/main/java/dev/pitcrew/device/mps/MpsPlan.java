package dev.pitcrew.device.mps;

import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.device.allocatable.PhysicalDevice;
import dev.pitcrew.device.allocatable.Resource;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.mps.MpsDaemon.LimitedGpu;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The control daemons that a node's shared resources need (MPS control daemon, daemon selection
/// and start sequence). Pure.
///
/// @param daemons ordered as the resources are
/// @param refused why a resource can have none, by its name
public record MpsPlan(List<MpsDaemon> daemons, Map<String, String> refused) {
  /// What the driver takes on any GPU (CUDA MPS, client limits).
  public static final int MOST_CLIENTS = 48;

  static final int MOST_CLIENTS_BEFORE_VOLTA = 16;
  private static final int VOLTA = 7;
  private static final int ALL_THREADS = 100;
  private static final int MIB_BITS = 20;

  public MpsPlan {
    daemons = List.copyOf(daemons);
    refused = Map.copyOf(refused);
  }

  /// A resource of which nothing is shared needs no daemon.
  public static MpsPlan of(List<Resource> resources) {
    var daemons = new ArrayList<MpsDaemon>();
    var refused = new TreeMap<String, String>();
    for (Resource resource : resources) {
      List<Device> replicas = resource.devices().stream().filter(it -> it.replicas() > 0).toList();
      Optional<String> refusal = replicas.stream().flatMap(it -> refusal(it).stream()).findFirst();
      if (refusal.isPresent()) {
        refused.put(resource.name(), refusal.get());
      } else if (!replicas.isEmpty()) {
        daemons.add(daemon(resource.name(), replicas));
      }
    }
    return new MpsPlan(daemons, refused);
  }

  private static Optional<String> refusal(Device replica) {
    PhysicalDevice device = replica.physical();
    int most = mostClients(device.computeCapability());
    if (device.isMig()) {
      return Optional.of(
          "sharing.mps cannot share MIG device %s: switch MIG off or use sharing.timeSlicing"
              .formatted(device.uuid()));
    }
    return Optional.of(
            "sharing.mps.resources[].replicas is %d and GPU %s (compute capability %s) takes %d clients at most: give %d or fewer"
                .formatted(
                    replica.replicas(), device.index(), device.computeCapability(), most, most))
        .filter(_ -> replica.replicas() > most);
  }

  /// The driver's limit changed with Volta, which is 7.0; NVIDIA's device plugin counts it with the
  /// older ones.
  private static int mostClients(ComputeCapability capability) {
    return capability.major() >= VOLTA ? MOST_CLIENTS : MOST_CLIENTS_BEFORE_VOLTA;
  }

  private static MpsDaemon daemon(String resource, List<Device> replicas) {
    List<LimitedGpu> gpus =
        replicas.stream()
            .filter(replica -> replica.replica() == 0)
            .map(replica -> limited(replica.physical(), replica.replicas()))
            .toList();
    return new MpsDaemon(resource, ALL_THREADS / (replicas.size() / gpus.size()), gpus);
  }

  private static LimitedGpu limited(PhysicalDevice gpu, int clients) {
    return new LimitedGpu(gpu.index(), gpu.uuid(), (gpu.memoryBytes() / clients) >> MIB_BITS);
  }

  /// Why the devices of each resource must not be used, while the state of all daemons is unknown.
  public Map<String, String> unknown(String reason) {
    var down = new TreeMap<>(refused);
    daemons.forEach(daemon -> down.put(daemon.resource(), reason));
    return down;
  }
}
