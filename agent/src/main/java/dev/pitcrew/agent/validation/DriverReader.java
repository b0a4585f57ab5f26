package dev.pitcrew.agent.validation;

import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.linux.KernelLog;
import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads what the host reports of the driver.
public final class DriverReader {
  private static final String VERSION = "/proc/driver/nvidia/version";
  private static final String MODULE_VERSION = "/sys/module/nvidia/version";

  /// The variable of the UEFI specification: four bytes of attributes, then 1 where it is on.
  private static final String SECURE_BOOT =
      "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

  private static final int SECURE_BOOT_BYTES = 5;

  /// The kernel cuts the name of a process at 15 characters.
  private static final String FABRIC_MANAGER = "nv-fabricmanage";

  private static final Pattern NUMBER = Pattern.compile("\\b\\d+(?:\\.\\d+)+\\b");
  private static final Pattern PROCESS = Pattern.compile("\\d+");
  private static final Pattern RELEASE =
      Pattern.compile("(\\d{1,4})\\.(\\d{1,4}).*", Pattern.DOTALL);
  private static final int DMA_BUF_MAJOR = 5;
  private static final int DMA_BUF_MINOR = 12;

  /// As the kernel's module loader and its lockdown write it (kernel/module/signing.c,
  /// security/lockdown).
  private static final Pattern REFUSAL =
      Pattern.compile(
          "nvidia\\S*: .*is rejected|Loading of .* is rejected|unsigned module loading is restricted|nvidia\\S*:.*signed with a(?:n)? (?:untrusted|unavailable) key");

  private static final int BRIDGE = 0x0680;

  private final HostRoot host;

  public DriverReader(HostRoot host) {
    this.host = host;
  }

  /// The source of what cannot be read from the host.
  ///
  /// @param functions all on the bus
  /// @param snapshot what NVML says
  /// @param nodeProblems why device nodes could not be made
  /// @param pausedBy who wants the driver for itself
  /// @param isForPassthrough whether the node is for virtual machines that get whole GPUs
  public record Context(
      List<PciDevice> functions,
      Optional<NodeSnapshot> snapshot,
      List<String> nodeProblems,
      Optional<String> pausedBy,
      boolean isForPassthrough) {}

  public DriverFacts read(DriverRoot root, Context context) {
    List<PciDevice> functions = context.functions().stream().filter(PciDevice::isNvidia).toList();
    return new DriverFacts(
        functions,
        kernel(functions, context.snapshot()),
        files(root, context),
        context.snapshot(),
        context.pausedBy(),
        context.isForPassthrough());
  }

  private DriverFacts.Kernel kernel(List<PciDevice> functions, Optional<NodeSnapshot> snapshot) {
    Set<String> modules = modules();
    boolean hasSecureBoot = hasSecureBoot();
    boolean isLoaded = modules.contains("nvidia");
    boolean hasSwitches = functions.stream().anyMatch(it -> it.classAndSubclass() == BRIDGE);
    Optional<String> version = host.text(VERSION);
    return new DriverFacts.Kernel(
        modules,
        version.or(() -> host.text(MODULE_VERSION)).flatMap(DriverReader::number),
        version.filter(text -> text.contains("Open Kernel Module")).isPresent() && isSince5dot12(),
        hasSecureBoot,
        hasSecureBoot && !isLoaded ? refusals() : List.of(),
        (hasSwitches || waitsForFabric(snapshot)) && runsFabricManager());
  }

  /// `/proc/modules` has a line for each, the name first.
  private Set<String> modules() {
    return host.text("/proc/modules").stream()
        .flatMap(String::lines)
        .map(line -> line.split(" ", 2)[0])
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Optional<String> number(String text) {
    Matcher matcher = NUMBER.matcher(text);
    return matcher.find() ? Optional.of(matcher.group()) : Optional.empty();
  }

  private boolean isSince5dot12() {
    Matcher release = RELEASE.matcher(host.text("/proc/sys/kernel/osrelease").orElse(""));
    if (!release.matches()) {
      return false;
    }
    int major = Integer.parseInt(release.group(1));
    int minor = Integer.parseInt(release.group(2));
    return major > DMA_BUF_MAJOR || (major == DMA_BUF_MAJOR && minor >= DMA_BUF_MINOR);
  }

  private boolean hasSecureBoot() {
    return host.bytes(SECURE_BOOT)
        .filter(bytes -> bytes.length >= SECURE_BOOT_BYTES && bytes[SECURE_BOOT_BYTES - 1] == 1)
        .isPresent();
  }

  private List<String> refusals() {
    return KernelLog.messages(host).stream()
        .filter(line -> REFUSAL.matcher(line).find())
        .distinct()
        .toList();
  }

  /// Boards with NVLink 5 have a fabric manager and no switch on the bus.
  private static boolean waitsForFabric(Optional<NodeSnapshot> snapshot) {
    return snapshot.flatMap(NodeSnapshot::inventory).stream()
        .flatMap(inventory -> inventory.gpus().stream())
        .anyMatch(gpu -> gpu.fabric() instanceof Fabric.Pending);
  }

  private boolean runsFabricManager() {
    return host.names("/proc").stream()
        .filter(name -> PROCESS.matcher(name).matches())
        .anyMatch(process ->
            host.text("/proc/" + process + "/comm").filter(FABRIC_MANAGER::equals).isPresent());
  }

  private DriverFacts.Files files(DriverRoot root, Context context) {
    return new DriverFacts.Files(
        root.filesOnHost(),
        root.devicesOnHost(),
        root.version(),
        root.hasCuda(),
        nodes(context.snapshot()).filter(path -> !root.devices().exists(path)).toList(),
        context.nodeProblems(),
        ContainerFlags.of(status(ContainerFlags.READY_FILE), status(ContainerFlags.DAEMONS_FILE)));
  }

  private Optional<String> status(String file) {
    return host.text(StatusFiles.ON_HOST + "/" + file);
  }

  /// The device nodes that the GPUs which answer need.
  private static Stream<String> nodes(Optional<NodeSnapshot> snapshot) {
    return snapshot
        .filter(NodeSnapshot.WithDriver.class::isInstance)
        .flatMap(NodeSnapshot::inventory)
        .filter(inventory -> !inventory.gpus().isEmpty())
        .map(inventory ->
            Stream.concat(
                Stream.of("/dev/nvidiactl", "/dev/nvidia-uvm"),
                inventory.gpus().stream().map(gpu -> "/dev/nvidia" + gpu.minor())))
        .orElse(Stream.empty());
  }
}
