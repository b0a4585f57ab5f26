package dev.pitcrew.agent.validation;

import dev.pitcrew.agent.validation.Blocker.Cause;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Finds what keeps the driver from working. Only what is seen counts: where nothing explains why
/// the driver does not answer, there is no blocker.
public final class DriverBlockers {
  private static final String NOUVEAU = "nouveau";
  private static final String UVM = "/dev/nvidia-uvm";
  private static final int AMPERE = 8;
  private static final int MOST_NAMED = 4;

  /// In the order of precedence.
  private static final List<Function<DriverFacts, Optional<Blocker>>> CHECKS =
      List.of(
          DriverBlockers::boundToVfio,
          DriverBlockers::notBoundToVfio,
          DriverBlockers::nouveau,
          DriverBlockers::secureBoot,
          DriverBlockers::notInstalled,
          DriverBlockers::notLoaded,
          DriverBlockers::mismatch,
          DriverBlockers::missingNodes,
          DriverBlockers::noFabricManager,
          DriverBlockers::fabricNotReady,
          DriverBlockers::notListed);

  private DriverBlockers() {}

  public static List<Blocker> of(DriverFacts facts) {
    return facts.gpus().isEmpty() || facts.isPassedThrough()
        ? List.of()
        : CHECKS.stream().flatMap(check -> check.apply(facts).stream()).toList();
  }

  private static Optional<Blocker> boundToVfio(DriverFacts facts) {
    return blocker(
        facts.isEveryGpuBoundToVfio(),
        Cause.GPU_BOUND_TO_VFIO,
        () ->
            "the kernel driver vfio-pci has every GPU, for virtual machines (%s): label the Node nvidia.com/gpu.workload.config=container, or on the node echo each address into /sys/bus/pci/drivers/vfio-pci/unbind, then modprobe nvidia"
                .formatted(addresses(facts.gpus())));
  }

  private static Optional<Blocker> notBoundToVfio(DriverFacts facts) {
    Stream<PciDevice> others = facts.gpus().stream().filter(gpu -> !DriverFacts.isBoundToVfio(gpu));
    return blocker(
        facts.isForPassthrough(),
        Cause.GPU_NOT_BOUND_TO_VFIO,
        () ->
            "the node is for virtual machines that get whole GPUs, and vfio-pci does not have all of them (%s): look at the pod of the vfio-manager on this node (kubectl get pods -A -l app=nvidia-vfio-manager -o wide; there is none where the Node has nvidia.com/gpu.deploy.vfio-manager=false, and the kernel has to bind them at boot), or, where the node is for containers, label it nvidia.com/gpu.workload.config=container"
                .formatted(some(others.map(PciDevice::address))));
  }

  private static Optional<Blocker> nouveau(DriverFacts facts) {
    List<PciDevice> bound =
        facts.gpus().stream()
            .filter(gpu -> gpu.driver().filter(NOUVEAU::equals).isPresent())
            .toList();
    boolean isInTheWay = facts.silence().isPresent() && facts.kernel().modules().contains(NOUVEAU);
    return blocker(
        !bound.isEmpty() || isInTheWay,
        Cause.NOUVEAU_LOADED,
        () ->
            "the kernel module nouveau %s: on the node write 'blacklist nouveau' and 'options nouveau modeset=0' to /etc/modprobe.d/nouveau.conf, rebuild the initramfs and reboot (or rmmod nouveau where no screen uses it)"
                .formatted(
                    bound.isEmpty()
                        ? "is loaded, so NVIDIA's cannot be"
                        : "has " + addresses(bound) + ", so NVIDIA's cannot"));
  }

  /// Also before a missing installation: a driver container takes its files away again when the
  /// kernel refuses the module.
  private static Optional<Blocker> secureBoot(DriverFacts facts) {
    return blocker(
        isModuleMissing(facts)
            && facts.kernel().hasSecureBoot()
            && !facts.kernel().refusals().isEmpty(),
        Cause.SECURE_BOOT_REFUSED_MODULE,
        () ->
            "Secure Boot is on and the kernel refused the module nvidia (it says: %s): take a driver with signed modules (precompiled ones of the distribution), or enroll the key that they are signed with (mokutil --import, then reboot), or switch Secure Boot off in the firmware"
                .formatted(facts.kernel().refusals().getLast()));
  }

  private static Optional<Blocker> notInstalled(DriverFacts facts) {
    return blocker(
        isModuleMissing(facts) && facts.files().version().isEmpty(),
        Cause.DRIVER_NOT_INSTALLED,
        () ->
            "no driver is installed: neither /run/nvidia/driver nor the host has libnvidia-ml.so.1, and the module nvidia is not loaded: look at the driver's pod on this node (kubectl get pods -A -l app.kubernetes.io/component=nvidia-driver -o wide), or where the host brings the driver, install it there");
  }

  private static Optional<Blocker> notLoaded(DriverFacts facts) {
    return blocker(
        isModuleMissing(facts) && facts.files().version().isPresent(),
        Cause.MODULE_NOT_LOADED,
        () ->
            "driver %s is installed below %s, but the kernel module nvidia is not loaded%s: run modprobe nvidia on the node (of a driver container: look at its log) and see dmesg%s"
                .formatted(
                    facts.files().version().orElse(""),
                    facts.files().rootOnHost(),
                    facts.kernel().hasSecureBoot() ? " (Secure Boot is on: it must be signed)" : "",
                    notBound(facts)));
  }

  private static Optional<Blocker> mismatch(DriverFacts facts) {
    Optional<String> loaded =
        facts
            .kernel()
            .driverVersion()
            .or(() -> facts.answering().map(it -> it.gpus().inventory().driver().driver()));
    Optional<String> installed = facts.files().version();
    boolean isOther = loaded.isPresent() && installed.isPresent() && !loaded.equals(installed);
    boolean isSaid =
        facts
            .silence()
            .filter(it -> it.endsWith(NvmlError.LIB_RM_VERSION_MISMATCH.meaning()))
            .isPresent();
    return blocker(
        isSaid || (isOther && facts.isModuleLoaded()),
        Cause.DRIVER_VERSION_MISMATCH,
        () ->
            "the kernel module nvidia is of version %s, the libraries below %s are of %s: reboot the node, or drain it, unload the module (rmmod nvidia_uvm nvidia_modeset nvidia) and load that of the libraries"
                .formatted(
                    loaded.orElse("another"),
                    facts.files().rootOnHost(),
                    installed.filter(_ -> isOther).orElse("another")));
  }

  private static Optional<Blocker> missingNodes(DriverFacts facts) {
    List<String> missing = facts.files().missingNodes();
    return blocker(
        facts.answering().isPresent() && !missing.isEmpty(),
        Cause.DEVICE_NODES_MISSING,
        () ->
            "the driver answers, but below %s there is no %s, so containers cannot be given the GPUs: %s"
                .formatted(
                    facts.files().devicesOnHost(), some(missing.stream()), remedy(facts, missing)));
  }

  private static String remedy(DriverFacts facts, List<String> missing) {
    String root = facts.files().rootOnHost();
    if (missing.contains(UVM) && !facts.kernel().modules().contains("nvidia_uvm")) {
      return "the kernel module nvidia_uvm is not loaded: on the node run "
          + (root.equals("/") ? "" : "chroot " + root + " ")
          + "modprobe nvidia-uvm; the agent then makes the node";
    }
    return facts.files().nodeProblems().isEmpty()
        ? "the agent makes them, unless the variable CREATE_DEVICE_NODES in toolkit.env of the ClusterPolicy is none: remove it"
        : "the agent cannot make them (%s): its container has to be privileged, and the folder writable"
            .formatted(some(facts.files().nodeProblems().stream()));
  }

  /// Boards before Hopper report nothing of the fabric, so only the process can be looked for.
  /// Those since Hopper do, and a fabric that is set up outlives the process.
  private static Optional<Blocker> noFabricManager(DriverFacts facts) {
    List<String> pending = pendingFabric(facts);
    boolean isNeeded =
        !pending.isEmpty() || facts.listed().stream().anyMatch(DriverBlockers::isBeforeHopper);
    return blocker(
        facts.hasSwitches() && !facts.kernel().runsFabricManager() && isNeeded,
        Cause.FABRIC_MANAGER_NOT_RUNNING,
        () ->
            "the GPUs are connected by NVSwitches and no process nv-fabricmanager runs%s, so no CUDA program starts (error 802, system not yet initialized): %s"
                .formatted(
                    pending.isEmpty() ? "" : " (the fabric of " + some(pending.stream()) + ")",
                    fabricRemedy(facts)));
  }

  /// As nvmlDeviceGetGpuFabricInfo reports: until the state is completed cuInit answers
  /// CUDA_ERROR_SYSTEM_NOT_READY (NVIDIA Fabric Manager User Guide).
  private static Optional<Blocker> fabricNotReady(DriverFacts facts) {
    List<String> pending = pendingFabric(facts);
    boolean isManaged = facts.kernel().runsFabricManager();
    return blocker(
        !pending.isEmpty() && (isManaged || !facts.hasSwitches()),
        Cause.FABRIC_NOT_READY,
        () ->
            "the NVLink fabric of the GPUs is not set up yet (%s), so no CUDA program starts (error 802, system not yet initialized); nothing is to be done if it lasts less than a few minutes after the driver was loaded, else: %s%s"
                .formatted(
                    some(pending.stream()),
                    fabricRemedy(facts),
                    isManaged
                        ? ""
                        : "; where the switches stand in another chassis (NVL72), at the fabric manager of the switch trays"));
  }

  /// Empty where a GPU has joined: the others are reported individually, and keep none from
  /// serving.
  private static List<String> pendingFabric(DriverFacts facts) {
    if (facts.answering().filter(it -> it.gpus().inventory().lacksFabric()).isEmpty()) {
      return List.of();
    }
    return facts.listed().stream()
        .flatMap(gpu ->
            gpu.fabric() instanceof Fabric.Pending(var progress)
                ? Stream.of(gpu.pci().address() + " " + progress)
                : Stream.<String>empty())
        .toList();
  }

  /// A driver container starts the fabric manager itself, with its log below its own root.
  private static String fabricRemedy(DriverFacts facts) {
    String root = facts.files().rootOnHost();
    return root.equals("/")
        ? "look at systemctl status nvidia-fabricmanager and /var/log/fabricmanager.log on the node, and start it (systemctl enable --now nvidia-fabricmanager); its version must be exactly the driver's"
        : "look at %s/var/log/fabricmanager.log on the node and the log of the driver's pod (kubectl get pods -A -l app.kubernetes.io/component=nvidia-driver -o wide), which starts nv-fabricmanager, and delete that pod to start it again"
            .formatted(root);
  }

  private static boolean isBeforeHopper(Gpu gpu) {
    return gpu.board().computeCapability().major() <= AMPERE;
  }

  private static Optional<Blocker> notListed(DriverFacts facts) {
    List<UnreadableGpu> unreadable =
        facts.answering().map(it -> it.gpus().inventory().unreadable()).orElse(List.of());
    boolean isNone =
        facts.answering().isPresent()
            && facts.listed().isEmpty()
            && unreadable.stream().noneMatch(UnreadableGpu::isPending);
    return blocker(
        isNone,
        Cause.GPU_NOT_LISTED,
        () ->
            "the driver answers and can use none of the GPUs on the bus (%s)%s: see dmesg for NVRM on the node; check power cables and seating; drain and reboot the node%s"
                .formatted(
                    addresses(facts.gpus()),
                    unreadable.isEmpty()
                        ? ""
                        : "; NVML says " + some(unreadable.stream().map(UnreadableGpu::reason)),
                    notBound(facts)));
  }

  /// What to do about boards of a class that the driver does not bind, where no GPU has another.
  private static String notBound(DriverFacts facts) {
    return facts.gpus().stream().anyMatch(PciDevice::isDisplayController)
        ? ""
        : "; the kernel module nvidia binds the PCI classes 0x0300 and 0x0302, and these have another (%s): modinfo -F alias nvidia shows what the installed one binds; install a driver whose release notes name the board"
            .formatted(
                some(
                    facts.gpus().stream()
                        .map(gpu -> "%s 0x%04x".formatted(gpu.address(), gpu.classAndSubclass()))));
  }

  private static boolean isModuleMissing(DriverFacts facts) {
    return facts.silence().isPresent() && !facts.isModuleLoaded();
  }

  private static String addresses(List<PciDevice> gpus) {
    return some(gpus.stream().map(PciDevice::address));
  }

  /// The first few, and how many more.
  private static String some(Stream<String> names) {
    List<String> all = names.distinct().toList();
    String first = all.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
    int more = all.size() - MOST_NAMED;
    return more > 0 ? first + " and %d more".formatted(more) : first;
  }

  private interface Text {
    String of();
  }

  private static Optional<Blocker> blocker(boolean applies, Cause cause, Text message) {
    return applies ? Optional.of(new Blocker(cause, message.of())) : Optional.empty();
  }
}
