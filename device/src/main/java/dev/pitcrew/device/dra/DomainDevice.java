package dev.pitcrew.device.dra;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;

/// What claims for a ComputeDomain can be allocated on a node: one IMEX channel for the containers
/// of the domain, and one device for the IMEX daemon that serves them. The names are those of
/// NVIDIA's DRA driver, so that claims allocated under it stay valid.
public enum DomainDevice {
  /// Memory of GPUs on other nodes of the NVLink clique.
  CHANNEL,
  /// The right to run the IMEX daemon of a domain.
  DAEMON;

  /// The driver in ResourceSlices and claims.
  public static final String DRIVER = "compute-domain.nvidia.com";

  private static final int ONLY = 0;

  /// The attribute `type`, and the beginning of the name.
  public String type() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Unique in the pool of the node; a DNS label.
  public String device() {
    return type() + "-" + ONLY;
  }

  /// @param device as a claim names it; only announced devices are known
  public static Optional<DomainDevice> named(String device) {
    return Arrays.stream(values()).filter(it -> it.device().equals(device)).findFirst();
  }

  /// All, for the ResourceSlice of a node.
  public static SliceDevices slice() {
    return slice(Arrays.stream(values()).map(DomainDevice::sliceDevice).toList());
  }

  /// For a node that does not serve ComputeDomains any longer.
  public static SliceDevices withdrawn() {
    return slice(List.of());
  }

  private static SliceDevices slice(List<SliceDevice> devices) {
    return new SliceDevices(
        DRIVER,
        List.of(new SliceDevices.OfGpu(Optional.empty(), devices)),
        SliceDevices.Arrangement.TOGETHER,
        List.of());
  }

  private SliceDevice sliceDevice() {
    var attributes = new TreeMap<String, Attribute>();
    attributes.put("id", new Attribute.Whole(ONLY));
    attributes.put("type", new Attribute.Text(type()));
    return new SliceDevice(device(), attributes, new TreeMap<>(), List.of());
  }
}
