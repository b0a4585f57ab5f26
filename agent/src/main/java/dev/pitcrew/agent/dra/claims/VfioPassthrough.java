package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.agent.cdi.ContainerEdits.DeviceNodeEdit;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForVfioDevice;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.IommuBackend;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim.GivenGpu;
import dev.pitcrew.agent.host.OpenFiles;
import dev.pitcrew.agent.host.OpenFiles.Opened;
import dev.pitcrew.agent.vfio.VfioDevices;
import dev.pitcrew.agent.vfio.VfioDevices.Failure;
import dev.pitcrew.agent.vfio.plan.VfioDriver;
import dev.pitcrew.device.dra.ClaimDevice.Passthrough;
import dev.pitcrew.device.dra.PassthroughGpu;
import dev.pitcrew.hardware.pci.PassthroughGpus;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Binds GPUs of claims to the kernel's driver for virtual machines, and back to that of
/// containers, by the files of sysfs.
///
/// @param vfio binds and unbinds
/// @param gpus the GPUs of the node on the PCI bus
/// @param turn has the agent itself leave the GPU
/// @param persistence see [Persistence]
/// @param announce called when the claims are no longer those of the last call
public record VfioPassthrough(
    VfioDevices vfio,
    PassthroughGpus gpus,
    GpuTurn turn,
    Persistence persistence,
    Runnable announce)
    implements PassthroughStep {
  private static final String DEVICES = "/sys/bus/pci/devices/";
  private static final String GROUPS = "/sys/kernel/iommu_groups/";
  private static final String NVIDIA = "nvidia";
  private static final String IOMMU_FD = "/dev/iommu";
  private static final String VFIO = "/dev/vfio/";
  private static final String API_DEVICE = VFIO + "vfio";

  /// The base class of bridges, in the six hex digits of a class (PCI Code and ID Assignment).
  private static final String BRIDGE = "0x06";

  private static final Set<String> NONE_BOUND = Set.of("", "0");

  /// The daemon nvidia-persistenced keeps each GPU open whose persistence mode is on.
  public interface Persistence {
    /// @param gpu its UUID or its PCI address
    /// @return why it is not as wanted
    Optional<String> set(String gpu, boolean isOn);
  }

  @Override
  public Optional<String> refusal(Passthrough device, boolean isGiven) {
    PassthroughGpu function = device.function();
    String folder = DEVICES + function.address();
    Optional<String> driver = driver(function.address());
    if (function.iommuGroup().isEmpty()) {
      return problem(
          device,
          "it is in no IOMMU group; turn on the IOMMU in the firmware, and in the command line of the kernel (intel_iommu=on or amd_iommu=on)");
    }
    if (isGiven && driver.filter(name -> !VfioDriver.isForMachines(name)).isEmpty()) {
      return Optional.empty();
    }
    if (!driver.equals(Optional.of(NVIDIA))) {
      return problem(
          device,
          "the kernel driver %s has it; allowed: nvidia. Unbind it there: echo %s > %s/driver/unbind, then echo %s > /sys/bus/pci/drivers/nvidia/bind"
              .formatted(driver.orElse("(none)"), function.address(), folder, function.address()));
    }
    Optional<String> functions =
        vfio.root().text(folder + "/sriov_numvfs").filter(it -> !NONE_BOUND.contains(it));
    if (functions.isPresent()) {
      return problem(
          device,
          "it has %s virtual functions; turn them off: echo 0 > %s/sriov_numvfs"
              .formatted(functions.get(), folder));
    }
    return neighbour(function)
        .flatMap(other ->
            problem(
                device,
                "device %s of its IOMMU group %d has the kernel driver %s, and the kernel gives a group to one virtual machine only; unbind that device, or use a slot with ACS"
                    .formatted(
                        other, function.iommuGroup().getAsInt(), driver(other).orElse("(none)"))));
  }

  /// Another device of the group that the host uses. The other functions of a GPU go with it, and
  /// bridges stay (Documentation/driver-api/vfio.rst).
  private Optional<String> neighbour(PassthroughGpu function) {
    String slot = function.address().substring(0, function.address().lastIndexOf('.'));
    return vfio.root().names(GROUPS + function.iommuGroup().getAsInt() + "/devices").stream()
        .filter(other -> !other.startsWith(slot))
        .filter(other -> driver(other).filter(name -> !VfioDriver.isForMachines(name)).isPresent())
        .filter(other ->
            vfio.root()
                .text(DEVICES + other + "/class")
                .filter(it -> it.startsWith(BRIDGE))
                .isEmpty())
        .findFirst();
  }

  @Override
  public Optional<String> give(Passthrough device) {
    String address = device.function().address();
    return driver(address).filter(VfioDriver::isForMachines).isPresent()
        ? Optional.empty()
        : change(device.name(), address, () -> giveAlone(device));
  }

  private Optional<String> giveAlone(Passthrough device) {
    String address = device.function().address();
    Optional<String> problem =
        driver(address).equals(Optional.of(NVIDIA))
            ? persistence
                .set(device.gpu().uuid(), false)
                .or(() -> users(device))
                .or(() -> lock(device))
            : Optional.empty();
    return problem.or(() -> bound(address, vfio::bind));
  }

  /// While no other part of the agent has NVML open. They open it again afterwards: NVML has open,
  /// and lists, the GPUs that were bound when it was opened, and no other.
  private Optional<String> change(
      String device, String address, Supplier<Optional<String>> change) {
    return turn.take(() -> turn.alone(change))
        .orElseGet(() ->
            Optional.of(
                "the agent changes GPUs of the node for another reason; the kubelet tries again"))
        .map(why -> "device %s (%s): %s".formatted(device, address, why));
  }

  /// The kernel waits without end for those that have a GPU open when its driver is to leave it.
  private Optional<String> users(Passthrough device) {
    String file = "/dev/nvidia" + device.gpu().minor();
    String users =
        OpenFiles.of(vfio.root(), vfio.host()).matching(file::equals).stream()
            .map(Opened::process)
            .distinct()
            .collect(Collectors.joining(", "));
    return users.isEmpty()
        ? Optional.empty()
        : Optional.of("%s has %s open; end it, and the kubelet tries again".formatted(users, file));
  }

  /// Keeps processes from opening the GPU between the look at them and the unbind. The driver sets
  /// the lock only where none has it open, and it goes with the binding.
  private Optional<String> lock(Passthrough device) {
    String address = device.function().address();
    if (!vfio.root().exists(lock(address))) {
      return Optional.empty(); // a driver without it
    }
    Optional<String> unwritten = setLock(address, "1");
    return unwritten.isPresent() || isLocked(address)
        ? unwritten
        : Optional.of(
            "the driver does not lock it (%s), as while a process has it open; end such processes, and the kubelet tries again"
                .formatted(lock(address)));
  }

  private static String lock(String address) {
    return "/proc/driver/nvidia/gpus/%s/unbindLock".formatted(address);
  }

  private boolean isLocked(String address) {
    return vfio.root().text(lock(address)).filter("1"::equals).isPresent();
  }

  private Optional<String> setLock(String address, String value) {
    try {
      vfio.file().write(vfio.root().resolve(lock(address)), value);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("%s cannot be written: %s".formatted(lock(address), e));
    }
  }

  @Override
  public Optional<String> withdraw(GivenGpu given) {
    return Optional.of(given.address())
        .filter(it -> !it.isEmpty())
        .or(() -> address(given.device()))
        .flatMap(address -> withdraw(given.device(), address)); // or else the board is gone
  }

  private Optional<String> withdraw(String device, String address) {
    Optional<String> driver = driver(address);
    if (driver.filter(name -> !VfioDriver.isForMachines(name)).isEmpty()) {
      return change(device, address, () -> bound(address, vfio::giveBack).or(() -> kept(address)));
    }
    // It was not given, or is back.
    return driver.equals(Optional.of(NVIDIA)) ? unlocked(device, address) : Optional.empty();
  }

  private Optional<String> unlocked(String device, String address) {
    return isLocked(address)
        ? change(device, address, () -> setLock(address, "0").or(() -> kept(address)))
        : kept(address).map(why -> "device %s (%s): %s".formatted(device, address, why));
  }

  /// What was switched off before it was given.
  private Optional<String> kept(String address) {
    return driver(address).equals(Optional.of(NVIDIA))
        ? persistence.set(address, true)
        : Optional.empty();
  }

  private Optional<String> address(String name) {
    return gpus.all().stream()
        .filter(gpu -> gpu.name().equals(name))
        .map(PassthroughGpu::address)
        .findFirst();
  }

  @FunctionalInterface
  private interface Change {
    List<Failure> make(List<String> addresses) throws InterruptedException;
  }

  private static Optional<String> bound(String address, Change change) {
    try {
      return change.make(List.of(address)).stream().map(Failure::why).findFirst();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.of("the agent ends");
    }
  }

  @Override
  public ContainerEdits edits(Passthrough device, ForVfioDevice settings) {
    String group = VFIO + device.function().iommuGroup().orElseThrow();
    String file =
        Stream.of(DEVICES + device.function().address() + "/vfio-dev")
            .filter(_ -> isByIommuFd(settings))
            .flatMap(folder -> vfio.root().names(folder).stream())
            .findFirst()
            .map(name -> VFIO + "devices/" + name)
            .orElse(group);
    return ofNodes(Stream.of(file));
  }

  @Override
  public ContainerEdits shared(ForVfioDevice settings) {
    Stream<String> api =
        settings.enableApiDevice().filter(isWanted -> isWanted).stream()
            .map(_ -> isByIommuFd(settings) ? IOMMU_FD : API_DEVICE);
    return ContainerEdits.ofEnv("NVIDIA_VISIBLE_DEVICES=void").and(ofNodes(api));
  }

  private boolean isByIommuFd(ForVfioDevice settings) {
    return settings.backend() == IommuBackend.PREFER_IOMMU_FD && gpus.host().exists(IOMMU_FD);
  }

  private static ContainerEdits ofNodes(Stream<String> files) {
    return new ContainerEdits(
        List.of(),
        files.map(file -> new DeviceNodeEdit(file, Optional.of(file), Optional.empty())).toList(),
        List.of(),
        List.of(),
        List.of());
  }

  @Override
  public void changed() {
    announce.run();
  }

  private Optional<String> driver(String address) {
    return vfio.root().linkTargetName(DEVICES + address + "/driver");
  }

  private static Optional<String> problem(Passthrough device, String why) {
    return Optional.of(
        "device %s (%s): %s".formatted(device.name(), device.function().address(), why));
  }
}
