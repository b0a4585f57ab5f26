package dev.pitcrew.hardware.nvml;

/// A number that NVML reports for a device by a function of its own, each in NVML's unit.
public enum Gauge {
  // Clocks in MHz, by nvmlClockType_t.
  SM_CLOCK(word("nvmlDeviceGetClockInfo").with(1)),
  MEMORY_CLOCK(word("nvmlDeviceGetClockInfo").with(2)),
  VIDEO_CLOCK(word("nvmlDeviceGetClockInfo").with(3)),
  APPLICATION_SM_CLOCK(word("nvmlDeviceGetApplicationsClock").with(1)),
  APPLICATION_MEMORY_CLOCK(word("nvmlDeviceGetApplicationsClock").with(2)),
  MAX_SM_CLOCK(word("nvmlDeviceGetMaxClockInfo").with(1)),
  MAX_MEMORY_CLOCK(word("nvmlDeviceGetMaxClockInfo").with(2)),
  MAX_VIDEO_CLOCK(word("nvmlDeviceGetMaxClockInfo").with(3)),
  /// A mask of nvmlClocksEventReasons.
  CLOCK_EVENT_REASONS(
      longWord("nvmlDeviceGetCurrentClocksEventReasons")
          .before("nvmlDeviceGetCurrentClocksThrottleReasons")),

  // Degrees Celsius; thresholds by nvmlTemperatureThresholds_t.
  TEMPERATURE(word("nvmlDeviceGetTemperature").with(0)),
  SHUTDOWN_TEMPERATURE(word("nvmlDeviceGetTemperatureThreshold").with(0)),
  SLOWDOWN_TEMPERATURE(word("nvmlDeviceGetTemperatureThreshold").with(1)),
  MEMORY_MAX_TEMPERATURE(word("nvmlDeviceGetTemperatureThreshold").with(2)),
  GPU_MAX_TEMPERATURE(word("nvmlDeviceGetTemperatureThreshold").with(3)),
  /// Degrees until clocks are reduced; below 0 once they are (nvmlMarginTemperature_v1_t).
  TEMPERATURE_MARGIN(word("nvmlDeviceGetMarginTemperature").version(version(8, 1)).at(4)),
  /// Percent.
  FAN_SPEED(word("nvmlDeviceGetFanSpeed")),

  // Milliwatts.
  POWER_USAGE(word("nvmlDeviceGetPowerUsage")),
  POWER_LIMIT(word("nvmlDeviceGetPowerManagementLimit")),
  POWER_LIMIT_MIN(pair("nvmlDeviceGetPowerManagementLimitConstraints", 0)),
  POWER_LIMIT_MAX(pair("nvmlDeviceGetPowerManagementLimitConstraints", 1)),
  POWER_LIMIT_DEFAULT(word("nvmlDeviceGetPowerManagementDefaultLimit")),
  POWER_LIMIT_ENFORCED(word("nvmlDeviceGetEnforcedPowerLimit")),

  // Percent of the time.
  GPU_UTILISATION(word("nvmlDeviceGetUtilizationRates")),
  MEMORY_UTILISATION(word("nvmlDeviceGetUtilizationRates").at(4)),
  ENCODER_UTILISATION(pair("nvmlDeviceGetEncoderUtilization", 0)),
  DECODER_UTILISATION(pair("nvmlDeviceGetDecoderUtilization", 0)),

  // KB a second, each measured for 20 ms.
  PCIE_TX_THROUGHPUT(word("nvmlDeviceGetPcieThroughput").with(0)),
  PCIE_RX_THROUGHPUT(word("nvmlDeviceGetPcieThroughput").with(1)),
  PCIE_REPLAYS(word("nvmlDeviceGetPcieReplayCounter")),
  PCIE_GENERATION(word("nvmlDeviceGetCurrPcieLinkGeneration")),
  PCIE_WIDTH(word("nvmlDeviceGetCurrPcieLinkWidth")),
  PCIE_MAX_GENERATION(word("nvmlDeviceGetMaxPcieLinkGeneration")),
  PCIE_MAX_WIDTH(word("nvmlDeviceGetMaxPcieLinkWidth")),

  // Bytes (nvmlMemory_v2_t). MIG devices have memory of their own.
  MEMORY_TOTAL(memory(8)),
  MEMORY_RESERVED(memory(16)),
  MEMORY_FREE(memory(24)),
  MEMORY_USED(memory(32)),
  /// Of what is not reserved, from 0 to 1.
  MEMORY_USED_RATIO(memory(32)),
  // nvmlBAR1Memory_t
  BAR1_TOTAL(longWord("nvmlDeviceGetBAR1MemoryInfo").ofInstance()),
  BAR1_FREE(longWord("nvmlDeviceGetBAR1MemoryInfo").at(8).ofInstance()),
  BAR1_USED(longWord("nvmlDeviceGetBAR1MemoryInfo").at(16).ofInstance()),

  // nvmlRowRemapperHistogramValues_t: memory banks by how many spare rows they have left.
  BANKS_MAX(word("nvmlDeviceGetRowRemapperHistogram")),
  BANKS_HIGH(word("nvmlDeviceGetRowRemapperHistogram").at(4)),
  BANKS_PARTIAL(word("nvmlDeviceGetRowRemapperHistogram").at(8)),
  BANKS_LOW(word("nvmlDeviceGetRowRemapperHistogram").at(12)),
  BANKS_NONE(word("nvmlDeviceGetRowRemapperHistogram").at(16)),

  PERFORMANCE_STATE(word("nvmlDeviceGetPerformanceState")),
  COMPUTE_MODE(word("nvmlDeviceGetComputeMode")),
  PERSISTENCE_MODE(word("nvmlDeviceGetPersistenceMode")),
  MIG_MODE(pair("nvmlDeviceGetMigMode", 0)),
  INDEX(word("nvmlDeviceGetIndex")),
  MINOR_NUMBER(word("nvmlDeviceGetMinorNumber")),
  // nvmlPciInfo_t: device and vendor in one word, and those of the subsystem.
  PCI_DEVICE_ID(word("nvmlDeviceGetPciInfo_v3").at(28)),
  PCI_SUBSYSTEM_ID(word("nvmlDeviceGetPciInfo_v3").at(32)),
  /// The major version in the upper 16 of 32 bits, as in dcgm_fields.h.
  COMPUTE_CAPABILITY(pair("nvmlDeviceGetCudaComputeCapability", 0)),
  /// nvmlGpuVirtualizationMode_t
  VIRTUALIZATION_MODE(word("nvmlDeviceGetVirtualizationMode")),
  // nvmlGpuFabricInfo_v2_t
  /// dcgmFabricManagerStatus_t: NVML's state up to 3, which is completed, 4 for completed with an
  /// error, and 5 for another state.
  FABRIC_STATUS(fabric(28)),
  FABRIC_CLIQUE(fabric(24)),
  /// nvmlGpuFabricInfoHealthMask
  FABRIC_HEALTH_MASK(fabric(32)),
  /// dcgmReturn_t of how the registration with the fabric ended; none before it did.
  FABRIC_ERROR(fabric(20)),
  /// nvmlGpuFabricInfo_v3_t: NVML_GPU_FABRIC_HEALTH_SUMMARY
  FABRIC_HEALTH_SUMMARY(
      word("nvmlDeviceGetGpuFabricInfoV").version(version(40, 3)).at(36).oneByte()),
  // Bit masks, 64 processors or NUMA nodes each, as signed numbers.
  CPU_AFFINITY_0(longWord("nvmlDeviceGetCpuAffinity").with(4)),
  CPU_AFFINITY_1(longWord("nvmlDeviceGetCpuAffinity").with(4).at(8)),
  CPU_AFFINITY_2(longWord("nvmlDeviceGetCpuAffinity").with(4).at(16)),
  CPU_AFFINITY_3(longWord("nvmlDeviceGetCpuAffinity").with(4).at(24)),
  MEMORY_AFFINITY_0(memoryAffinity(0)),
  MEMORY_AFFINITY_1(memoryAffinity(8)),
  MEMORY_AFFINITY_2(memoryAffinity(16)),
  MEMORY_AFFINITY_3(memoryAffinity(24)),
  // nvmlPlatformInfo_v2_t: the place in the rack. Blackwell and later have it.
  PLATFORM_SLOT(platform(36)),
  PLATFORM_TRAY(platform(37)),
  PLATFORM_HOST(platform(38)),
  PLATFORM_PEER_TYPE(platform(39)),
  PLATFORM_MODULE(platform(40)),
  /// As many as there are slices while the GPU is in MIG mode, else 0.
  MIG_DEVICES_MAX(word("nvmlDeviceGetMaxMigDeviceCount")),
  AUTO_BOOST(pair("nvmlDeviceGetAutoBoostedClocksEnabled", 0)),
  INFOROM_CHECKSUM(word("nvmlDeviceGetInforomConfigurationChecksum")),
  /// nvmlEccSramErrorStatus_v1_t
  SRAM_THRESHOLD_EXCEEDED(word("nvmlDeviceGetSramEccErrorStatus").version(version(104, 1)).at(96)),
  UNREPAIRABLE_MEMORY(word("nvmlDeviceGetUnrepairableMemoryFlag_v1")),
  // Of the whole node.
  /// nvmlConfComputeSystemState_t
  CONFIDENTIAL_COMPUTING(ofNode("nvmlSystemGetConfComputeState").at(4)),
  GPU_COUNT(ofNode("nvmlDeviceGetCount_v2")),
  CUDA_DRIVER_VERSION(ofNode("nvmlSystemGetCudaDriverVersion_v2")),
  GPM_SUPPORT(word("nvmlGpmQueryDeviceSupport").version(1).at(4)),
  /// Whether the first licensable feature is licensed; 0 where the GPU needs no licence
  /// (nvmlGridLicensableFeatures_t: two counts, then the code and the state of each feature).
  LICENCE_STATUS(word("nvmlDeviceGetGridLicensableFeatures_v4").at(12));

  private final String function;
  private final String older;
  private final Parameters parameters;
  private final int argument;
  private final int version;
  private final int offset;
  private final int bytes;
  private final boolean isOfInstance;

  Gauge(Reader reader) {
    function = reader.function();
    older = reader.older();
    parameters = reader.parameters();
    argument = reader.argument();
    version = reader.version();
    offset = reader.offset();
    bytes = reader.bytes();
    isOfInstance = reader.isOfInstance();
  }

  /// Whether a MIG device has a number of its own; all others are of the whole GPU.
  public boolean isOfInstance() {
    return isOfInstance;
  }

  Reader reader() {
    return new Reader(function, older, parameters, argument, version, offset, bytes, isOfInstance);
  }

  /// What comes after the device among a function's parameters.
  enum Parameters {
    ONE_PLACE,
    NUMBER_AND_PLACE,
    TWO_PLACES,
    /// The last number is 0.
    NUMBER_PLACE_AND_NUMBER,
    /// No device either.
    PLACE_ALONE
  }

  /// How one of them is read.
  ///
  /// @param older another name of the function; empty where there is none
  /// @param argument the number that the function takes
  /// @param version what is written to the first word of the place before; 0 for nothing
  /// @param offset where the number is in what the function writes
  /// @param bytes how wide it is
  record Reader(
      String function,
      String older,
      Parameters parameters,
      int argument,
      int version,
      int offset,
      int bytes,
      boolean isOfInstance) {

    private Reader with(int number) {
      return new Reader(
          function,
          older,
          Parameters.NUMBER_AND_PLACE,
          number,
          version,
          offset,
          bytes,
          isOfInstance);
    }

    /// Of the structure that the call fills; 0 where it has no version.
    int size() {
      return version & 0xFFFFFF;
    }

    private Reader at(int place) {
      return new Reader(function, older, parameters, argument, version, place, bytes, isOfInstance);
    }

    private Reader version(int number) {
      return new Reader(function, older, parameters, argument, number, offset, bytes, isOfInstance);
    }

    private Reader before(String name) {
      return new Reader(function, name, parameters, argument, version, offset, bytes, isOfInstance);
    }

    private Reader oneByte() {
      return new Reader(
          function, older, parameters, argument, version, offset, Byte.BYTES, isOfInstance);
    }

    private Reader taking(Parameters others) {
      return new Reader(function, older, others, argument, version, offset, bytes, isOfInstance);
    }

    private Reader ofInstance() {
      return new Reader(function, older, parameters, argument, version, offset, bytes, true);
    }
  }

  private static Reader word(String function) {
    return new Reader(function, "", Parameters.ONE_PLACE, 0, 0, 0, Integer.BYTES, false);
  }

  private static Reader longWord(String function) {
    return new Reader(function, "", Parameters.ONE_PLACE, 0, 0, 0, Long.BYTES, false);
  }

  private static Reader pair(String function, int which) {
    return new Reader(
        function,
        "",
        Parameters.TWO_PLACES,
        0,
        0,
        which * GaugeCalls.SECOND_PLACE,
        Integer.BYTES,
        false);
  }

  /// NVML_STRUCT_VERSION: the size of a structure, and its version in the uppermost byte.
  private static int version(int bytes, int number) {
    return bytes | (number << 24);
  }

  private static Reader fabric(int offset) {
    return word("nvmlDeviceGetGpuFabricInfoV").version(version(36, 2)).at(offset);
  }

  private static Reader memoryAffinity(int offset) {
    return longWord("nvmlDeviceGetMemoryAffinity")
        .with(4)
        .taking(Parameters.NUMBER_PLACE_AND_NUMBER)
        .at(offset);
  }

  private static Reader platform(int offset) {
    return word("nvmlDeviceGetPlatformInfo").version(version(44, 2)).at(offset).oneByte();
  }

  private static Reader ofNode(String function) {
    return word(function).taking(Parameters.PLACE_ALONE);
  }

  private static Reader memory(int offset) {
    int version = Layouts.version(Layouts.MEMORY_V2, 2);
    return longWord("nvmlDeviceGetMemoryInfo_v2").version(version).at(offset).ofInstance();
  }
}
