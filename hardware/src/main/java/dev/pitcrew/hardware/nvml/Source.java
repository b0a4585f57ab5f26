package dev.pitcrew.hardware.nvml;

/// Where one number of a sample comes from.
public sealed interface Source {
  /// All links of a GPU together, in place of one link.
  int ALL_LINKS = 0xFFFFFFFF;

  /// A function of NVML's own.
  record Call(Gauge gauge) implements Source {}

  /// A value of nvmlDeviceGetFieldValues.
  ///
  /// @param scope the number of a link, [#ALL_LINKS], or 0 where the field has none
  record FieldValue(int id, int scope) implements Source {}

  /// A count of nvmlDeviceGetMemoryErrorCounter, which is there while ECC is on.
  ///
  /// @param type nvmlMemoryErrorType_t: 0 corrected, 1 uncorrected
  /// @param counter nvmlEccCounterType_t: 0 since the driver was loaded, 1 of the board's life
  /// @param location nvmlMemoryLocation_t
  record EccErrors(int type, int counter, int location) implements Count {}

  /// A count of nvmlDeviceGetNvLinkErrorCounter.
  ///
  /// @param counter nvmlNvLinkErrorCounter_t: 0 replays, 1 recoveries, 2 and 3 CRC errors of flits
  ///   and of data
  record LinkErrors(int counter, int link) implements Count {}

  /// A count that a separate call reports.
  sealed interface Count extends Source {}

  /// A counter of the port of an NVLink (nvmlPRMCounterId_t). Blackwell and later have it.
  ///
  /// @param port from 1 on
  record PortCounter(int id, int port) implements Source {}

  /// A metric of GPU performance monitoring (nvmlGpmMetricId_t), over the time since the last
  /// sample. Hopper and later have it.
  record Profiling(int metric) implements Source {}

  /// Whether a GPU instance has a number of its own.
  default boolean isOfInstance() {
    return switch (this) {
      case Call(var gauge) -> gauge.isOfInstance();
      case FieldValue _, PortCounter _, Count _ -> false;
      case Profiling _ -> true;
    };
  }
}
