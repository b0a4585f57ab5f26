package dev.pitcrew.agent.command;

import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.UnreadableGpu;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// An inventory as JSON shows it: maps and lists with stable keys.
final class InventoryView {
  private static final int MIB_SHIFT = 20;

  private InventoryView() {}

  static Map<String, Object> of(Inventory inventory) {
    var view = new LinkedHashMap<String, Object>();
    view.put("driver", inventory.driver().driver());
    view.put("cuda", inventory.driver().cudaMajor() + "." + inventory.driver().cudaMinor());
    view.put("gpus", inventory.gpus().stream().map(InventoryView::gpu).toList());
    view.put("unreadable", inventory.unreadable().stream().map(InventoryView::unreadable).toList());
    return view;
  }

  private static Map<String, Object> gpu(Gpu gpu) {
    var view = new LinkedHashMap<String, Object>();
    view.put("index", gpu.index());
    view.put("uuid", gpu.uuid());
    view.put("minor", gpu.minor());
    view.put("product", gpu.board().name());
    view.put("memoryMiB", gpu.board().memoryBytes() >> MIB_SHIFT);
    view.put("computeCapability", gpu.board().computeCapability().toString());
    view.put("pciAddress", gpu.pci().address());
    gpu.pci().pciClass().ifPresent(number -> view.put("pciClass", "0x%06x".formatted(number)));
    gpu.pci().numaNode().ifPresent(node -> view.put("numaNode", node));
    view.put("mig", mig(gpu.mig()));
    if (gpu.fabric() instanceof Fabric.Attached(var cluster, int clique)) {
      view.put("clique", cluster + "." + clique);
    }
    return view;
  }

  private static Map<String, Object> mig(Mig mig) {
    String mode =
        switch (mig) {
          case Mig.NotCapable() -> "not capable";
          case Mig.Disabled _ -> "disabled";
          case Mig.Enabled _ -> "enabled";
        };
    var view = new LinkedHashMap<String, Object>();
    view.put("mode", mode);
    view.put("devices", mig.migDevices().stream().map(InventoryView::migDevice).toList());
    List<String> supported =
        mig.supportedProfiles().stream().map(profile -> profile.name()).sorted().toList();
    view.put("supportedProfiles", supported);
    return view;
  }

  private static Map<String, Object> migDevice(MigDevice device) {
    var view = new LinkedHashMap<String, Object>();
    view.put("index", device.index());
    view.put("uuid", device.uuid());
    view.put("profile", device.profile().name());
    view.put("gpuInstance", device.place().gpuInstance());
    view.put("computeInstance", device.place().computeInstance());
    view.put("memoryMiB", device.memoryBytes() >> MIB_SHIFT);
    device
        .capabilities()
        .ifPresent(capabilities ->
            view.put(
                "capabilityMinors",
                List.of(capabilities.gpuInstanceMinor(), capabilities.computeInstanceMinor())));
    return view;
  }

  private static Map<String, Object> unreadable(UnreadableGpu gpu) {
    return Map.of("index", gpu.index(), "reason", gpu.reason());
  }
}
