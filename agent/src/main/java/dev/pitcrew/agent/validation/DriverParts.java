package dev.pitcrew.agent.validation;

import static dev.pitcrew.agent.validation.Component.GDRCOPY;
import static dev.pitcrew.agent.validation.Component.MOFED;
import static dev.pitcrew.agent.validation.Component.NVIDIA_FS;
import static dev.pitcrew.agent.validation.Component.NVIDIA_PEERMEM;

import java.util.List;

/// The kernel modules that work beside the driver, where they are wanted: by the word of the driver
/// container, which a driver of an NVIDIADriver alone knows, else by the ClusterPolicy's.
final class DriverParts {
  private static final String NETWORK_DRIVER = "mlx5_core";

  private final ValidationFacts facts;
  private final DriverFacts.Kernel kernel;
  private final ContainerFlags flags;

  private DriverParts(ValidationFacts facts) {
    this.facts = facts;
    kernel = facts.driver().kernel();
    flags = facts.driver().files().flags();
  }

  static List<Check> of(ValidationFacts facts) {
    var parts = new DriverParts(facts);
    return List.of(parts.peermem(), parts.mofed(), parts.storage(), parts.copy());
  }

  private boolean wantsRdma() {
    return flags.isEnabled("GPU_DIRECT_RDMA_ENABLED", facts.wanted().rdma());
  }

  /// Two ways lead to it: the module, or DMA-BUF, which the open kernel module has on Linux 5.12
  /// and later.
  private Check peermem() {
    if (!wantsRdma()) {
      return Check.off(NVIDIA_PEERMEM, "spec.driver.rdma.enabled is not true");
    }
    if (kernel.modules().contains("nvidia_peermem")) {
      return Check.passed(NVIDIA_PEERMEM, "the kernel module nvidia_peermem is loaded");
    }
    return kernel.hasDmaBuf()
        ? Check.passed(NVIDIA_PEERMEM, "the open kernel module gives memory away by DMA-BUF")
        : Check.failed(
            NVIDIA_PEERMEM,
            "PeermemNotLoaded",
            "GPUDirect RDMA is wanted, the kernel module nvidia_peermem is not loaded and the driver is not the open one, which does without: modprobe nvidia-peermem on the node, after the network driver (mlx5_core, ib_core)");
  }

  private Check mofed() {
    if (!wantsRdma()) {
      return Check.off(MOFED, "spec.driver.rdma.enabled is not true");
    }
    if (!facts.hasNetworkCard()) {
      return Check.off(MOFED, "the PCI bus has no network card of Mellanox (vendor 15b3)");
    }
    return facts.wanted().hostMofed()
        ? module(
            MOFED,
            NETWORK_DRIVER,
            "NetworkDriverNotLoaded",
            "spec.driver.rdma.useHostMofed is true: install the network driver on the host")
        : mofedContainer();
  }

  private Check mofedContainer() {
    return facts.mofedIsReady()
        ? Check.passed(MOFED, "the network driver's container is ready")
        : Check.failed(
            MOFED,
            "NetworkDriverNotReady",
            "/run/mellanox/drivers/.driver-ready is not there: look at the network operator's driver pod on this node, or set spec.driver.rdma.useHostMofed where the host brings the network driver");
  }

  private Check storage() {
    return flags.isEnabled("GDS_ENABLED", facts.wanted().gds())
        ? module(
            NVIDIA_FS,
            "nvidia_fs",
            "StorageModuleNotLoaded",
            "look at the container nvidia-fs-ctr of the driver's pod on this node")
        : Check.off(NVIDIA_FS, "spec.gds.enabled is not true");
  }

  private Check copy() {
    return flags.isEnabled("GDRCOPY_ENABLED", facts.wanted().gdrcopy())
        ? module(
            GDRCOPY,
            "gdrdrv",
            "GdrcopyNotLoaded",
            "look at the container nvidia-gdrcopy-ctr of the driver's pod on this node")
        : Check.off(GDRCOPY, "spec.gdrcopy.enabled is not true");
  }

  private Check module(Component component, String module, String reason, String remedy) {
    return kernel.modules().contains(module)
        ? Check.passed(component, "the kernel module %s is loaded".formatted(module))
        : Check.failed(
            component, reason, "the kernel module %s is not loaded: %s".formatted(module, remedy));
  }
}
