package dev.pitcrew.agent.dra.claims.plan;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/// The opaque parameters of a ResourceClaim or DeviceClass, `resource.nvidia.com/v1beta1`, with
/// defaults filled in. Two that are equal have the same effect.
public sealed interface DeviceSettings {
  DeviceSettings GPU_DEFAULT = new ForGpu(Optional.empty());
  DeviceSettings MIG_DEFAULT = new ForMigDevice(Optional.empty());
  DeviceSettings VFIO_DEFAULT = new ForVfioDevice(IommuBackend.LEGACY_ONLY, Optional.empty());

  /// As in `kind`.
  String kind();

  /// `GpuConfig`.
  record ForGpu(Optional<Sharing> sharing) implements DeviceSettings {
    static final String KIND = "GpuConfig";

    @Override
    public String kind() {
      return KIND;
    }
  }

  /// `MigDeviceConfig`. Time slicing has no effect on MIG devices.
  record ForMigDevice(Optional<Sharing> sharing) implements DeviceSettings {
    static final String KIND = "MigDeviceConfig";

    @Override
    public String kind() {
      return KIND;
    }
  }

  /// `VfioDeviceConfig`.
  ///
  /// @param enableApiDevice whether the container gets `/dev/vfio/vfio` or `/dev/iommu`; empty is
  ///   no
  record ForVfioDevice(IommuBackend backend, Optional<Boolean> enableApiDevice)
      implements DeviceSettings {
    public static final String KIND = "VfioDeviceConfig";

    @Override
    public String kind() {
      return KIND;
    }
  }

  /// `ComputeDomainChannelConfig`.
  ///
  /// @param domain the UID of the ComputeDomain
  /// @param allChannels whether the container gets all IMEX channels and not one
  record ForChannel(String domain, boolean allChannels) implements DeviceSettings {
    public static final String KIND = "ComputeDomainChannelConfig";

    @Override
    public String kind() {
      return KIND;
    }
  }

  /// `ComputeDomainDaemonConfig`.
  ///
  /// @param domain the UID of the ComputeDomain
  record ForDaemon(String domain) implements DeviceSettings {
    public static final String KIND = "ComputeDomainDaemonConfig";

    @Override
    public String kind() {
      return KIND;
    }
  }

  enum IommuBackend {
    LEGACY_ONLY("LegacyOnly"),
    PREFER_IOMMU_FD("PreferIommuFD");

    private final String text;

    IommuBackend(String text) {
      this.text = text;
    }

    static String allowed() {
      return Arrays.stream(values()).map(it -> it.text).collect(Collectors.joining(", "));
    }

    static Optional<IommuBackend> of(String text) {
      return Arrays.stream(values()).filter(it -> it.text.equals(text)).findFirst();
    }
  }

  /// How the containers of a claim share its devices.
  sealed interface Sharing {
    String TIME_SLICING = "TimeSlicing";
    String MPS = "MPS";

    record TimeSlicing(TimeSlice interval) implements Sharing {}

    /// @param threadPercentage of the GPU's threads, 0 to 100
    /// @param memoryLimit of each device, in MiB
    /// @param deviceMemoryLimits in MiB, by UUID or by the position in the claim
    record Mps(
        OptionalInt threadPercentage,
        OptionalLong memoryLimit,
        Map<String, Long> deviceMemoryLimits,
        boolean isMultiUser)
        implements Sharing {
      public Mps {
        deviceMemoryLimits = Map.copyOf(deviceMemoryLimits);
      }
    }
  }

  /// How long a process has the GPU before the next one.
  enum TimeSlice {
    DEFAULT("Default", 0),
    SHORT("Short", 1),
    MEDIUM("Medium", 2),
    LONG("Long", 3);

    private final String text;
    private final int number;

    TimeSlice(String text, int number) {
      this.text = text;
      this.number = number;
    }

    /// The argument of `nvidia-smi compute-policy --set-timeslice`.
    public int number() {
      return number;
    }

    static String allowed() {
      return Arrays.stream(values()).map(it -> it.text).collect(Collectors.joining(", "));
    }

    static Optional<TimeSlice> of(String text) {
      return Arrays.stream(values()).filter(it -> it.text.equals(text)).findFirst();
    }
  }
}
