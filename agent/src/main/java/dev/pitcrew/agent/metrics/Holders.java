package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.plan.DeviceSelection;
import dev.pitcrew.agent.metrics.plan.MetricsSettings.PodMapping;
import dev.pitcrew.agent.metrics.plan.Part;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.kubelet.podresources.ContainerDevices;
import dev.pitcrew.kubelet.podresources.ContainerResources;
import dev.pitcrew.kubelet.podresources.PodResources;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Which containers hold which device, by what the kubelet says of pods.
record Holders(Map<String, List<Holder>> byDevice, PodMapping mapping) {
  private static final String GPU_RESOURCE = "nvidia.com/gpu";
  private static final String MIG_RESOURCES = "nvidia.com/mig-";

  /// `MIG-GPU-<uuid>/<gpu instance>/<compute instance>`, of drivers before 470.
  private static final Pattern OLD_MIG = Pattern.compile("MIG-(GPU-[^/]+)/(\\d+)/\\d+");

  /// GKE's names of MIG devices.
  private static final Pattern INDEXED_MIG = Pattern.compile("nvidia(\\d+)/gi(\\d+)(?:/vgpu\\d+)?");

  private static final Pattern GKE_SHARE = Pattern.compile("(.+)/vgpu(\\d+)");
  private static final Pattern REPLICA = Pattern.compile("(.+)::(\\d+)");

  Holders {
    byDevice = Map.copyOf(byDevice);
  }

  static Holders none(PodMapping mapping) {
    return new Holders(Map.of(), mapping);
  }

  /// Whether a device is a share of one.
  static boolean isShare(String device) {
    return REPLICA.matcher(device).matches() || GKE_SHARE.matcher(device).matches();
  }

  /// @param uids of pods, by the devices that they hold
  static Holders of(List<PodResources> pods, Map<String, String> uids, PodMapping mapping) {
    var byDevice = new HashMap<String, List<Holder>>();
    for (PodResources pod : pods) {
      for (ContainerResources container : pod.getContainersList()) {
        var holder = new Holder(pod.getName(), pod.getNamespace(), container.getName(), "", "");
        container.getDevicesList().stream()
            .filter(devices -> counts(devices, mapping))
            .flatMap(devices -> devices.getDeviceIdsList().stream())
            .forEach(id -> add(byDevice, id, holder.withUid(uids.getOrDefault(id, ""))));
        if (mapping.followsClaims()) {
          claims(container)
              .forEach(claim ->
                  byDevice
                      .computeIfAbsent(claim.key(), _ -> new ArrayList<>())
                      .add(holder.by(claim)));
        }
      }
    }
    byDevice.replaceAll((_, holders) -> sorted(holders));
    return new Holders(byDevice, mapping);
  }

  private static boolean counts(ContainerDevices devices, PodMapping mapping) {
    String resource = devices.getResourceName();
    return resource.equals(GPU_RESOURCE)
        || resource.startsWith(MIG_RESOURCES)
        || mapping.resources().contains(resource);
  }

  private static List<Claim> claims(ContainerResources container) {
    return container.getDynamicResourcesList().stream()
        .flatMap(claim ->
            claim.getClaimResourcesList().stream()
                .filter(device -> device.getDriverName().equals(Claim.DRIVER))
                .map(device ->
                    new Claim(
                        claim.getClaimName(),
                        claim.getClaimNamespace(),
                        device.getDriverName(),
                        device.getPoolName(),
                        device.getDeviceName())))
        .toList();
  }

  private static void add(Map<String, List<Holder>> byDevice, String id, Holder holder) {
    Matcher mig = INDEXED_MIG.matcher(id);
    Matcher old = OLD_MIG.matcher(id);
    Matcher replica = REPLICA.matcher(id);
    Matcher share = GKE_SHARE.matcher(id);
    String key = id;
    String number = "";
    if (mig.matches()) {
      key = mig.group(1) + "-" + mig.group(2);
    } else if (old.matches()) {
      key = old.group(1) + "-" + old.group(2);
    } else if (replica.matches()) {
      key = replica.group(1);
      number = replica.group(2);
    } else if (share.matches()) {
      key = share.group(1);
      number = share.group(2);
    }
    byDevice.computeIfAbsent(key, _ -> new ArrayList<>()).add(holder.withReplica(number));
  }

  /// The kubelet's order changes from answer to answer.
  private static List<Holder> sorted(List<Holder> holders) {
    return holders.stream()
        .distinct()
        .sorted(
            Comparator.comparing(Holder::namespace)
                .thenComparing(Holder::pod)
                .thenComparing(Holder::container)
                .thenComparing(Holder::replica))
        .toList();
  }

  /// Those of a part: all of them where each has series of its own, as those of a claim have, else
  /// one.
  List<Holder> of(Part part) {
    List<Holder> claimants =
        Claim.keyOf(part).map(key -> byDevice.getOrDefault(key, List.of())).orElse(List.of());
    if (!claimants.isEmpty()) {
      return claimants;
    }
    List<Holder> all =
        byPlugin(part).map(it -> mapping.hasUids() ? it : it.withUid("")).distinct().toList();
    return all.isEmpty() || mapping.isPerHolder() ? all : List.of(all.getLast());
  }

  /// All of them, by claims and by the device plugin.
  List<Holder> all(Part part) {
    Stream<Holder> claimants =
        Claim.keyOf(part).stream().flatMap(key -> byDevice.getOrDefault(key, List.of()).stream());
    return Stream.concat(claimants, byPlugin(part)).distinct().toList();
  }

  /// Those that have a share of a part, with the UIDs of their pods.
  List<Holder> sharing(Part part) {
    return byPlugin(part).filter(Holder::isShare).distinct().toList();
  }

  /// Whether a GPU, or an instance of it, is shared.
  boolean areSharing(Gpu gpu) {
    return DeviceSelection.FLEXIBLE.parts(List.of(gpu)).stream()
        .anyMatch(part -> byPlugin(part).anyMatch(Holder::isShare));
  }

  private Stream<Holder> byPlugin(Part part) {
    return keys(part).stream().flatMap(key -> byDevice.getOrDefault(key, List.of()).stream());
  }

  private List<String> keys(Part part) {
    Gpu gpu = part.gpu();
    Optional<Part.Instance> instance = part.instance();
    if (instance.isEmpty()) {
      return List.of(mapping.byDeviceName() ? "nvidia" + gpu.index() : gpu.uuid());
    }
    int id = instance.get().id();
    var keys = new ArrayList<String>();
    keys.add(gpu.index() + "-" + id);
    keys.add(gpu.uuid() + "-" + id);
    for (MigDevice device : gpu.mig().migDevices()) {
      if (device.place().gpuInstance() == id) {
        keys.add(device.uuid());
        keys.add(device.uuid().replaceFirst("^MIG-", ""));
      }
    }
    return keys;
  }
}
