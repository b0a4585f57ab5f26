package dev.pitcrew.agent.vfio;

import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.vfio.plan.VfioDriver;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.pci.PciDevice;
import dev.pitcrew.hardware.pci.PciDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Binds devices to drivers for virtual machines, and unbinds them.
///
/// @param root under which `/sys` and `/proc` are
/// @param host the host's `/`, with the modules of its kernel
/// @param shell runs the host's `modprobe`
public record VfioDevices(HostRoot root, HostRoot host, HostShell shell, SysfsFile file) {
  private static final String DEVICES = "/sys/bus/pci/devices/";
  private static final String DRIVERS = "/sys/bus/pci/drivers/";
  private static final String PROBE = "/sys/bus/pci/drivers_probe";
  private static final String NVIDIA = "nvidia";
  private static final String CONSUMER = "consumer:pci:";

  /// Those of GPUs and of NVSwitches; nvidiafb is another's.
  private static final Set<String> OURS = Set.of(NVIDIA, "nvidia-nvswitch");

  /// How the kernel writes that any driver may have a device.
  private static final Set<String> NO_DRIVER = Set.of("", "(null)");

  private static final int VGA = 0x030000;
  private static final int BRIDGE = 0x0680;
  private static final Duration MODPROBE_LIMIT = Duration.ofMinutes(1);

  /// Writes a file of sysfs, which is there already.
  @FunctionalInterface
  public interface SysfsFile {
    void write(Path file, String text) throws IOException;
  }

  /// On the node itself.
  public VfioDevices(HostRoot root, HostRoot host, HostShell shell) {
    this(root, host, shell, VfioDevices::writeExisting);
  }

  private static void writeExisting(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.WRITE);
  }

  /// One thing that did not work, and the reason.
  public record Failure(String address, String why) {
    @Override
    public String toString() {
      return address + ": " + why;
    }
  }

  @FunctionalInterface
  private interface Change {
    void make(PciDevice device) throws IOException, InterruptedException;
  }

  /// The addresses of all GPUs. What SR-IOV makes of one is the vGPU manager's to give away, or the
  /// administrator's who has asked for it.
  ///
  /// @param withSwitches NVSwitches, too
  public List<String> all(boolean withSwitches) {
    // As in the NVIDIA GPU Operator: its plugin for virtual machines offers no accelerator.
    Predicate<PciDevice> isGpu = device -> device.isNvidia() && device.isDisplayController();
    Predicate<PciDevice> isSwitch =
        device -> device.isNvidia() && device.classAndSubclass() == BRIDGE;
    return new PciDevices(root)
        .all().stream()
            .filter(device -> !device.isVirtualFunction())
            .filter(device -> isGpu.test(device) || (withSwitches && isSwitch.test(device)))
            .map(PciDevice::address)
            .toList();
  }

  /// The GPUs and NVSwitches that the driver of containers could not have: bound to another one, or
  /// kept for it.
  public List<String> takenAway() {
    return all(true).stream()
        .filter(address ->
            root.linkTargetName(DEVICES + address + "/driver")
                    .filter(driver -> !OURS.contains(driver))
                    .isPresent()
                || root.text(DEVICES + address + "/driver_override")
                    .filter(driver -> !NO_DRIVER.contains(driver))
                    .isPresent())
        .toList();
  }

  /// Goes on after a device that cannot be bound.
  public List<Failure> bind(List<String> addresses) throws InterruptedException {
    return each(
        addresses,
        device -> {
          bind(device.address());
          for (String companion : companions(device)) {
            bind(companion);
          }
        });
  }

  /// Goes on after a device that cannot be unbound, such as one that a virtual machine has.
  public List<Failure> unbind(List<String> addresses) throws InterruptedException {
    return each(
        addresses,
        device -> {
          spareMachine(parts(device));
          for (String part : parts(device)) {
            unbind(part);
          }
        });
  }

  /// Gives devices back to the driver of containers. Where that is not loaded, its next load takes
  /// them. A device that another driver than one for virtual machines has stays there.
  public List<Failure> giveBack(List<String> addresses) throws InterruptedException {
    return each(
        addresses,
        device -> {
          String address = device.address();
          if (device.driver().filter(name -> !VfioDriver.isForMachines(name)).isPresent()) {
            return;
          }
          spareMachine(parts(device));
          for (String part : parts(device)) {
            unbind(part);
          }
          for (String companion : companions(device)) {
            write(PROBE, companion);
          }
          if (root.exists(DRIVERS + NVIDIA)) {
            write(DRIVERS + NVIDIA + "/bind", address);
          }
        });
  }

  /// Those of these devices that virtual machines have, and who that is.
  public List<Failure> inMachines(List<String> addresses) {
    if (addresses.isEmpty()) {
      return List.of();
    }
    VfioUse use = VfioUse.now(root, host);
    return addresses.stream()
        .flatMap(address -> new PciDevices(root).at(address).stream())
        .flatMap(device ->
            user(use, parts(device)).map(words -> new Failure(device.address(), words)).stream())
        .toList();
  }

  private void spareMachine(List<String> parts) throws IOException {
    Optional<String> user = user(VfioUse.now(root, host), parts);
    if (user.isPresent()) {
      throw new IOException(
          user.get()
              + ": it stays with that virtual machine; shut down the virtual machine, then try again, or let the next driver that starts here reclaim it");
    }
  }

  private static Optional<String> user(VfioUse use, List<String> parts) {
    return parts.stream().flatMap(part -> use.of(DEVICES + part).stream()).findFirst();
  }

  /// The device comes last: the companions of a GPU that is handed back are not looked for again.
  private List<String> parts(PciDevice device) {
    return Stream.concat(companions(device).stream(), Stream.of(device.address())).toList();
  }

  private List<Failure> each(List<String> addresses, Change change) throws InterruptedException {
    var failures = new ArrayList<Failure>();
    for (String address : addresses) {
      try {
        PciDevice device =
            new PciDevices(root)
                .at(address)
                .orElseThrow(() -> new IOException("there is no such PCI device"));
        change.make(device);
      } catch (IOException e) {
        failures.add(new Failure(address, String.valueOf(e.getMessage())));
      }
    }
    return failures;
  }

  /// A display's sound function, which belongs to the same virtual machine.
  private List<String> companions(PciDevice device) {
    return device.pciClass() != VGA
        ? List.of()
        : root.names(DEVICES + device.address()).stream()
            .filter(name -> name.startsWith(CONSUMER))
            .map(name -> name.substring(CONSUMER.length()))
            .limit(1)
            .toList();
  }

  private void bind(String address) throws IOException, InterruptedException {
    String device = DEVICES + address;
    String module = VfioDriver.of(root.text(device + "/modalias").orElse(""), aliases());
    var said = shell.run(MODPROBE_LIMIT, List.of("modprobe", module));
    if (!said.isGood()) {
      throw new IOException("modprobe %s: %s".formatted(module, said.lastOutput()));
    }
    String driver = driver(module);
    Optional<String> bound = root.linkTargetName(device + "/driver");
    if (bound.equals(Optional.of(driver))) {
      return;
    }
    if (bound.isPresent()) {
      spareMachine(List.of(address));
      unbind(address);
    }
    write(device + "/driver_override", driver);
    write(DRIVERS + driver + "/bind", address);
    if (!root.linkTargetName(device + "/driver").equals(Optional.of(driver))) {
      throw new IOException("the kernel did not bind it to " + driver);
    }
  }

  /// A module's driver may be written with the other dash.
  private String driver(String module) throws IOException {
    for (String name : List.of(module, module.replace('_', '-'))) {
      if (root.exists(DRIVERS + name)) {
        return name;
      }
    }
    throw new IOException("the module %s brought no driver of that name".formatted(module));
  }

  private void unbind(String address) throws IOException {
    String device = DEVICES + address;
    write(device + "/driver_override", "\n");
    if (root.exists(device + "/driver")) {
      write(device + "/driver/unbind", address);
    }
  }

  private String aliases() {
    String kernel = root.text("/proc/sys/kernel/osrelease").orElse("");
    return host.text("/lib/modules/%s/modules.alias".formatted(kernel)).orElse("");
  }

  private void write(String path, String text) throws IOException {
    try {
      file.write(root.resolve(path), text);
    } catch (IOException e) {
      throw new IOException("%s: %s".formatted(path, e), e);
    }
  }
}
