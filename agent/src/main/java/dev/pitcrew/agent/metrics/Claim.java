package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.plan.Part;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The claim of dynamic resource allocation by which a container has a device.
///
/// @param pool of devices, named as the node
/// @param device its name in the pool
record Claim(String name, String namespace, String driver, String pool, String device) {
  /// Whose devices are GPUs.
  static final String DRIVER = "gpu.nvidia.com";

  /// `gpu-<minor>-mig-<profile>-<id of the profile>-<first slice>`: the driver's names of MIG
  /// devices.
  private static final Pattern MIG = Pattern.compile("gpu-(\\d+)-mig-.+-\\d+-(\\d+)");

  /// Under which a device is looked for; the same as [#keyOf] says of the part that it is.
  String key() {
    Matcher mig = MIG.matcher(device);
    return mig.matches() ? "gpu-%s-mig-at-%s".formatted(mig.group(1), mig.group(2)) : device;
  }

  /// The driver counts GPUs by their minor numbers. No two GPU instances begin at one slice.
  static Optional<String> keyOf(Part part) {
    Gpu gpu = part.gpu();
    if (part.instance().isEmpty()) {
      return Optional.of("gpu-" + gpu.minor());
    }
    return deviceOf(part).stream()
        .flatMap(device -> device.placement().stream())
        .map(placement -> "gpu-%d-mig-at-%d".formatted(gpu.minor(), placement.start()))
        .findFirst();
  }

  private static Optional<MigDevice> deviceOf(Part part) {
    return part.gpu().mig().migDevices().stream()
        .filter(device -> device.place().gpuInstance() == part.instanceId())
        .findFirst();
  }

  /// As labels.
  ///
  /// @param part what it gives
  Map<String, String> labels(Part part) {
    var labels = new TreeMap<String, String>();
    labels.put("dra_claim_name", name);
    labels.put("dra_claim_namespace", namespace);
    labels.put("dra_driver_name", driver);
    labels.put("dra_pool_name", pool);
    labels.put("dra_device_name", device);
    part.instance().ifPresent(instance -> labels.put("dra_mig_profile", instance.profile()));
    if (part.instance().isPresent()) {
      deviceOf(part).ifPresent(mig -> labels.put("dra_mig_device_uuid", mig.uuid()));
    }
    return labels;
  }
}
