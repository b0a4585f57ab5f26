package dev.pitcrew.testbed.gpu;

import java.util.List;

/// The kernel's and the distribution's files of a node.
record HostFiles(NodeFolder folder) {
  private static final String KERNEL = "5.15.0-119-generic";
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
  private static final int INSTANCES = 15;
  private static final int COMPUTE_INSTANCES = 8;
  private static final int FIRST_MINOR = 3;

  void write() {
    folder.text(
        "/usr/lib/os-release",
        """
        PRETTY_NAME="Ubuntu 22.04.5 LTS"
        NAME="Ubuntu"
        ID=ubuntu
        ID_LIKE=debian
        VERSION_ID="22.04"
        """);
    folder.link("/etc/os-release", "../usr/lib/os-release");
    folder.text("/sys/class/dmi/id/product_name", "Simulated GPU Server\n");
    folder.text("/proc/sys/kernel/osrelease", KERNEL + "\n");
    folder.folder("/sys/bus/pci/devices");
  }

  void pciFunction(SimulatedPciFunction function) {
    var bus = function.address().substring(0, function.address().indexOf(':', 5));
    var real = "/sys/devices/pci" + bus + "/" + function.address();
    function.files().forEach((name, content) -> folder.text(real + "/" + name, content + "\n"));
    folder.bytes(real + "/config", function.configurationSpace());
    function
        .driver()
        .ifPresent(driver -> {
          folder.folder("/sys/bus/pci/drivers/" + driver);
          folder.link(real + "/driver", "../../../bus/pci/drivers/" + driver);
        });
    folder.link(
        "/sys/bus/pci/devices/" + function.address(),
        "../../../devices/pci" + bus + "/" + function.address());
  }

  /// What a GPU's function has besides.
  void displayNodes(SimulatedGpu gpu) {
    var drm = "/sys/bus/pci/devices/" + gpu.pciAddress() + "/drm/";
    folder.folder(drm + "card" + gpu.index());
    folder.folder(drm + "renderD" + (128 + gpu.index()));
  }

  void driverLoaded(String version, List<SimulatedGpu> gpus) {
    folder.text("/proc/modules", MODULES_OF_THE_DRIVER + MODULES_OF_ANY_NODE);
    folder.text(
        "/proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  " + version + "  simulated\n");
    folder.text("/proc/driver/nvidia-caps/mig-minors", migMinors(gpus));
  }

  void driverUnloaded() {
    folder.text("/proc/modules", MODULES_OF_ANY_NODE);
    folder.delete("/proc/driver/nvidia/version");
    folder.delete("/proc/driver/nvidia-caps/mig-minors");
  }

  /// As the driver numbers its capability files: for all instances that there could be.
  static String migMinors(List<SimulatedGpu> gpus) {
    var lines = new StringBuilder("config 1\nmonitor 2\n");
    for (var gpu : gpus) {
      for (int instance = 0; instance < INSTANCES; instance++) {
        int base = base(gpu.minor(), instance);
        var path = "gpu" + gpu.minor() + "/gi" + instance + "/";
        lines.append(path).append("access ").append(base).append('\n');
        for (int compute = 0; compute < COMPUTE_INSTANCES; compute++) {
          var name = path + "ci" + compute + "/access ";
          lines.append(name).append(base + 1 + compute).append('\n');
        }
      }
    }
    return lines.toString();
  }

  private static int base(int gpu, int instance) {
    int perInstance = 1 + COMPUTE_INSTANCES;
    return FIRST_MINOR + gpu * INSTANCES * perInstance + instance * perInstance;
  }
}
