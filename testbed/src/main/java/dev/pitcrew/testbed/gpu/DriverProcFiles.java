package dev.pitcrew.testbed.gpu;

import java.util.List;

/// What a loaded driver shows in `/proc`. Names and forms are those of a report of a real H100 with
/// driver 580.159.04 and of the driver's open kernel modules (`kernel-open/nvidia/nv-caps.c`,
/// `nv-procfs.c`).
record DriverProcFiles(NodeFolder folder) {
  private static final String DEVICES = "/proc/devices";
  private static final String DRIVER = "/proc/driver/nvidia/";
  private static final String CAPABILITIES = DRIVER + "capabilities/";
  private static final String CAPABILITY_MINORS = "/proc/driver/nvidia-caps/";
  private static final String NVLINK = "/proc/driver/nvidia-nvlink/";
  private static final String NVSWITCH = "/proc/driver/nvidia-nvswitch/";

  // NVIDIA's installers take the open kernel modules from this branch on.
  private static final int OPEN_MODULES = 560;
  private static final String VERSION =
      """
      NVRM version: NVIDIA UNIX x86_64 Kernel Module  %s  simulated
      """;
  private static final String OPEN_VERSION =
      """
      NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  %s  Release Build  (simulated@node) \s
      GCC version:  gcc version 13.3.0 (Ubuntu 13.3.0-6ubuntu2~24.04)\s
      """;

  /// As the report has them, but NVLink is on.
  private static final String PARAMETERS =
      """
      ResmanDebugLevel: 4294967295
      RmLogonRC: 1
      ModifyDeviceFiles: 1
      DeviceFileUID: 0
      DeviceFileGID: 0
      DeviceFileMode: 438
      InitializeSystemMemoryAllocations: 1
      UsePageAttributeTable: 4294967295
      EnableMSI: 1
      EnablePCIeGen3: 0
      MemoryPoolSize: 0
      KMallocHeapMaxSize: 0
      VMallocHeapMaxSize: 0
      IgnoreMMIOCheck: 0
      EnableStreamMemOPs: 0
      EnableUserNUMAManagement: 1
      NvLinkDisable: 0
      RmProfilingAdminOnly: 0
      PreserveVideoMemoryAllocations: 0
      EnableS0ixPowerManagement: 0
      S0ixPowerManagementVideoMemoryThreshold: 256
      DynamicPowerManagement: 3
      DynamicPowerManagementVideoMemoryThreshold: 200
      RegisterPCIDriver: 1
      EnablePCIERelaxedOrderingMode: 0
      EnableResizableBar: 0
      EnableGpuFirmware: 18
      EnableGpuFirmwareLogs: 2
      RmNvlinkBandwidthLinkCount: 0
      EnableDbgBreakpoint: 0
      OpenRmEnableUnsupportedGpus: 1
      DmaRemapPeerMmio: 1
      ImexChannelCount: 2048
      CreateImexChannel0: 0
      GrdmaPciTopoCheckOverride: 0
      CoherentGPUMemoryMode: ""
      RegistryDwords: ""
      RegistryDwordsPerDevice: ""
      RmMsg: ""
      GpuBlacklist: ""
      TemporaryFilePath: ""
      ExcludedGpus: ""
      """;

  // nv-caps.c numbers the capabilities of as many GPUs as there could be, then those of the system.
  private static final int GPUS = 32;
  private static final int INSTANCES = 15;
  private static final int COMPUTE_INSTANCES = 8;
  private static final int CONFIG = 1;
  private static final int MONITOR = 2;
  private static final int FIRST_MINOR = 3;
  private static final int IMEX = FIRST_MINOR + GPUS * INSTANCES * (1 + COMPUTE_INSTANCES);

  /// @param load how often the driver was loaded before
  void write(String version, List<SimulatedGpu> gpus, int load) {
    int branch = branch(version);
    folder.text(
        DRIVER + "version", (branch < OPEN_MODULES ? VERSION : OPEN_VERSION).formatted(version));
    folder.text(DRIVER + "params", PARAMETERS);
    folder.text(DRIVER + "registry", "Binary: \"\"\n");
    gpus.forEach(gpu ->
        folder.text(
            DRIVER + "gpus/" + gpu.pciAddress() + "/information", information(gpu, version)));
    folder.text(CAPABILITIES + "mig/config", capability(CONFIG, "0400"));
    folder.text(CAPABILITIES + "mig/monitor", capability(MONITOR, "0444"));
    folder.text(CAPABILITIES + "fabric-imex-mgmt", capability(IMEX, "0400"));
    folder.text(CAPABILITY_MINORS + "mig-minors", migMinors());
    folder.text(CAPABILITY_MINORS + "sys-minors", "fabric-imex-mgmt " + IMEX + "\n");
    folder.text(CAPABILITY_MINORS + "nvlink-minors", "fabric-mgmt 0\n");
    folder.text(NVLINK + "permissions", "DeviceFileMode: 438\n");
    folder.text(NVLINK + "capabilities/fabric-mgmt", capability(0, "0400"));
    folder.text(NVSWITCH + "permissions", "DeviceFileMode: 438\n");
    var others = DeviceNumbers.ofThisMachine();
    folder.text(DEVICES, DeviceNumbers.free(others, load).with(others, branch));
  }

  void remove() {
    folder.clear("/proc/driver");
    folder.text(DEVICES, DeviceNumbers.ofThisMachine());
  }

  private static int branch(String version) {
    return Integer.parseInt(version.substring(0, version.indexOf('.')));
  }

  private static String information(SimulatedGpu gpu, String version) {
    return """
    Model: \t\t %s
    IRQ:   \t\t 41
    GPU UUID: \t %s
    Bus Type: \t PCIe
    DMA Size: \t 52 bits
    DMA Mask: \t 0xfffffffffffff
    Bus Location: \t %s
    Device Minor: \t %d
    GPU Firmware: \t %s
    GPU Excluded:\t No
    """
        .formatted(gpu.name(), gpu.uuid(), gpu.pciAddress(), gpu.minor(), version);
  }

  /// As the kernel shows one (`nv_cap_procfs_read`): the mode in decimal.
  private static String capability(int minor, String mode) {
    return "DeviceFileMinor: %d\nDeviceFileMode: %d\nDeviceFileModify: 1\n"
        .formatted(minor, Integer.parseInt(mode, 8));
  }

  private static String migMinors() {
    var lines = new StringBuilder("config %d\nmonitor %d\n".formatted(CONFIG, MONITOR));
    int minor = FIRST_MINOR;
    for (int gpu = 0; gpu < GPUS; gpu++) {
      for (int instance = 0; instance < INSTANCES; instance++) {
        var path = "gpu" + gpu + "/gi" + instance + "/";
        lines.append(path).append("access ").append(minor++).append('\n');
        for (int compute = 0; compute < COMPUTE_INSTANCES; compute++) {
          lines.append(path).append("ci").append(compute);
          lines.append("/access ").append(minor++).append('\n');
        }
      }
    }
    return lines.toString();
  }
}
