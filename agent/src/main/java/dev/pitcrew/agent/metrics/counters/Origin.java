package dev.pitcrew.agent.metrics.counters;

import dev.pitcrew.hardware.nvml.Source;
import java.util.List;

/// Where the value of a field is found.
public sealed interface Origin {

  /// A number in every sample.
  ///
  /// @param factor from NVML's unit to that of the metric
  /// @param limit what is larger is no value
  record Reading(Source source, double factor, double limit) implements Origin {}

  /// The growth a second of the sum of numbers in the samples.
  record Rate(List<Source> sources, double factor) implements Origin {
    public Rate {
      sources = List.copyOf(sources);
    }
  }

  /// A number of each NVLink, in series of the links themselves.
  ///
  /// @param links where each is found, by the number of the link
  record PerLink(List<Origin> links) implements Origin {
    /// As many links as boards up to Blackwell have, and performance monitoring has numbers for
    /// (NVML_NVLINK_MAX_LINKS of NVML 12).
    public static final int MOST = 18;

    public PerLink {
      links = List.copyOf(links);
    }
  }

  /// A number of each processor of the node, or of each of their cores, in series of their own.
  record Cpu(CpuNumber what) implements Origin {}

  /// Who made the processors, for a label on their series.
  record CpuVendor() implements Origin {}

  /// What the processors are called, likewise.
  record CpuModel() implements Origin {}

  /// What the kernel reports of a processor, in DCGM's units: shares of time from 0 to 1, kHz,
  /// degrees Celsius and watts.
  enum CpuNumber {
    UTIL_TOTAL,
    UTIL_USER,
    UTIL_NICE,
    UTIL_SYS,
    UTIL_IRQ,
    CLOCK,
    TEMP,
    TEMP_WARNING,
    TEMP_CRITICAL,
    POWER,
    POWER_LIMIT,
    SYSIO_POWER,
    MODULE_POWER;

    /// Whether each core has one.
    public boolean isOfCore() {
      return compareTo(CLOCK) <= 0;
    }
  }

  /// A text, which becomes a label on all series of the same GPU.
  record Text(String name) implements Origin {}

  /// The last Xid that the GPU reported.
  record LastXid() implements Origin {}

  /// One of the exporter's own counters.
  record Computed(Computation what) implements Origin {}

  /// What is worked out from more than one reading.
  enum Computation {
    XID_ERRORS_COUNT,
    CLOCK_EVENTS_COUNT,
    GPU_HEALTH_STATUS,
    P2P_STATUS
  }
}
