package dev.pitcrew.agent.validation;

import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// All that can be seen of the driver at one moment.
///
/// @param functions those of NVIDIA on the bus
/// @param snapshot what NVML says; empty before it was asked
/// @param pausedBy who wants the driver for itself, such as `paused-for-driver-upgrade`
/// @param isForPassthrough whether the node is for virtual machines that get whole GPUs
public record DriverFacts(
    List<PciDevice> functions,
    Kernel kernel,
    Files files,
    Optional<NodeSnapshot> snapshot,
    Optional<String> pausedBy,
    boolean isForPassthrough) {
  private static final Set<String> PASSED_THROUGH = Set.of("vfio-pci", "nvgrace_gpu_vfio_pci");

  private static final int BRIDGE = 0x0680;

  public DriverFacts {
    functions = List.copyOf(functions);
  }

  /// What the kernel and the firmware say.
  ///
  /// @param modules that are loaded
  /// @param driverVersion of the module that is loaded; empty where the kernel does not report it
  /// @param hasDmaBuf whether it gives memory of GPUs away by DMA-BUF: the open module does, from
  ///   Linux 5.12 on
  /// @param hasSecureBoot whether the firmware starts signed code only
  /// @param refusals messages that refuse the driver's module
  /// @param runsFabricManager whether there is a process of that name
  public record Kernel(
      Set<String> modules,
      Optional<String> driverVersion,
      boolean hasDmaBuf,
      boolean hasSecureBoot,
      List<String> refusals,
      boolean runsFabricManager) {
    public Kernel {
      modules = Set.copyOf(modules);
      refusals = List.copyOf(refusals);
    }
  }

  /// What the driver's installation has.
  ///
  /// @param rootOnHost where it is, such as `/run/nvidia/driver`; `/` where nothing was found
  /// @param devicesOnHost the root of its device nodes
  /// @param version of its library; empty where there is none
  /// @param hasCuda whether libcuda is there
  /// @param missingNodes device nodes that the GPUs should have and that are not there
  /// @param nodeProblems why device nodes could not be made, a line for each
  /// @param flags what the driver container reports
  public record Files(
      String rootOnHost,
      String devicesOnHost,
      Optional<String> version,
      boolean hasCuda,
      List<String> missingNodes,
      List<String> nodeProblems,
      ContainerFlags flags) {
    public Files {
      missingNodes = List.copyOf(missingNodes);
      nodeProblems = List.copyOf(nodeProblems);
    }
  }

  /// The GPUs on the bus; a virtual function is a part of one.
  List<PciDevice> gpus() {
    return functions.stream().filter(it -> it.isNvidiaGpu() && !it.isVirtualFunction()).toList();
  }

  /// Whether each GPU has a kernel driver by which virtual machines get it.
  boolean isEveryGpuBoundToVfio() {
    return gpus().stream().allMatch(DriverFacts::isBoundToVfio);
  }

  static boolean isBoundToVfio(PciDevice gpu) {
    return gpu.driver().filter(PASSED_THROUGH::contains).isPresent();
  }

  /// Whether virtual machines have all GPUs, as the node is to be: no driver is missing then.
  boolean isPassedThrough() {
    return isForPassthrough && !gpus().isEmpty() && isEveryGpuBoundToVfio();
  }

  boolean hasSwitches() {
    return functions.stream().anyMatch(it -> it.classAndSubclass() == BRIDGE);
  }

  boolean isModuleLoaded() {
    return kernel.modules().contains("nvidia") || kernel.driverVersion().isPresent();
  }

  /// The driver where it answers.
  Optional<NodeSnapshot.WithDriver> answering() {
    return snapshot.flatMap(it ->
        it instanceof NodeSnapshot.WithDriver loaded ? Optional.of(loaded) : Optional.empty());
  }

  /// Why it does not answer.
  Optional<String> silence() {
    return snapshot.flatMap(it ->
        it instanceof NodeSnapshot.WithoutDriver(var reason, _)
            ? Optional.of(reason)
            : Optional.empty());
  }

  List<Gpu> listed() {
    return answering().map(it -> it.gpus().inventory().gpus()).orElse(List.of());
  }
}
