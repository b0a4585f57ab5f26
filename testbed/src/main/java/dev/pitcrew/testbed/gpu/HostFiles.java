package dev.pitcrew.testbed.gpu;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/// The kernel's and the distribution's files of a node.
record HostFiles(NodeFolder folder) {
  private static final String DEVICES = "/sys/bus/pci/devices/";
  private static final String FUNCTIONS = "/pci-functions";
  private static final String KERNEL = "5.15.0-119-generic";
  private static final String MODULE = "/sys/module/nvidia";
  private static final String FIRMWARE_PATH = "/sys/module/firmware_class/parameters/path";
  private static final String BOOT_ID = "/proc/sys/kernel/random/boot_id";
  private static final String MODULES_OF_ANY_NODE =
      """
      overlay 151552 40 - Live 0x0000000000000000
      nfnetlink 20480 4 - Live 0x0000000000000000
      """;
  private static final String MODULES_OF_THE_DRIVER =
      """
      nvidia_uvm 1789952 4 - Live 0x0000000000000000 (POE)
      nvidia_modeset 1314816 0 - Live 0x0000000000000000 (POE)
      nvidia 56823808 120 nvidia_uvm,nvidia_modeset, Live 0x0000000000000000 (POE)
      """;
  private static final int ROOT_BUSES = 0xe0;
  private static final int FABRIC_MANAGER = 1797;
  private static final String FABRIC_MANAGER_NAME = "/proc/" + FABRIC_MANAGER + "/comm";
  private static final String FABRIC_MANAGER_PID = "/run/nvidia-fabricmanager/nv-fabricmanager.pid";

  void write(SimulatedHost host) {
    host.files().forEach(folder::text);
    folder.link("/etc/os-release", "../usr/lib/os-release");
    folder.text("/sys/class/dmi/id/product_name", "Simulated GPU Server\n");
    folder.text("/proc/sys/kernel/osrelease", KERNEL + "\n");
    rebooted();
    folder.text(FIRMWARE_PATH, "\n");
    folder.folder(DEVICES);
  }

  void rebooted() {
    folder.text(BOOT_ID, UUID.randomUUID() + "\n");
  }

  void pciFunction(SimulatedPciFunction function) {
    var real = place(function.address());
    function.files().forEach((name, content) -> folder.text(real + "/" + name, content + "\n"));
    folder.bytes(real + "/config", function.configurationSpace());
    function.driver().ifPresent(driver -> bind(function.address(), driver));
    folder.link(DEVICES + function.address(), "../../.." + real.substring("/sys".length()));
  }

  /// Makes a driver the one of a PCI function.
  void bind(String address, String driver) {
    folder.folder("/sys/bus/pci/drivers/" + driver);
    folder.link(place(address) + "/driver", "../../../../bus/pci/drivers/" + driver);
  }

  private static String place(String address) {
    return "/sys/devices/" + parent(address) + "/" + address;
  }

  /// The root complex and the root port above a function. A two-socket EPYC server has eight root
  /// complexes on the buses 00, 20 … e0; in a DGX A100 the pairs of GPUs that share a PCIe switch
  /// share one (`lspci -t` of it: 07 and 0f below 00, 47 and 4e below 40).
  private static String parent(String address) {
    int end = address.indexOf(':');
    int bus = Integer.parseInt(address.substring(end + 1, end + 3), 16);
    var root = "%s:%02x".formatted(address.substring(0, end), bus & ROOT_BUSES);
    return "pci" + root + "/" + root + ":01.1";
  }

  /// A folder with all functions, in which the folders are no links.
  Path pciFunctions() {
    folder
        .names(DEVICES)
        .forEach(address -> folder.copyTree(DEVICES + address, FUNCTIONS + "/" + address));
    return folder.folder(FUNCTIONS);
  }

  /// What a GPU's function has besides.
  void displayNodes(SimulatedGpu gpu) {
    var drm = DEVICES + gpu.pciAddress() + "/drm/";
    folder.folder(drm + "card" + gpu.index());
    folder.folder(drm + "renderD" + (128 + gpu.index()));
  }

  /// The fabric manager as a process; the kernel cuts its name.
  void fabricManager() {
    folder.text(FABRIC_MANAGER_NAME, "nv-fabricmanage\n");
    folder.text(FABRIC_MANAGER_PID, FABRIC_MANAGER + "\n");
  }

  /// systemd takes the file away.
  void noFabricManager() {
    folder.delete(FABRIC_MANAGER_NAME);
    folder.delete(FABRIC_MANAGER_PID);
  }

  /// @param load how often the driver was loaded before
  void driverLoaded(String version, List<SimulatedGpu> gpus, int load) {
    folder.text("/proc/modules", MODULES_OF_THE_DRIVER + MODULES_OF_ANY_NODE);
    folder.text(MODULE + "/refcnt", "0\n");
    new DriverProcFiles(folder).write(version, gpus, load);
  }

  /// The folder is kept under another name: no later one may have its inode.
  void driverUnloaded() {
    folder.text("/proc/modules", MODULES_OF_ANY_NODE);
    folder.setAside(MODULE);
    new DriverProcFiles(folder).remove();
  }
}
