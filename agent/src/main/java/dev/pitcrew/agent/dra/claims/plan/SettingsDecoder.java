package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForChannel;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForDaemon;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForGpu;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForMigDevice;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForVfioDevice;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.IommuBackend;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.Sharing;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.TimeSlice;
import dev.pitcrew.agent.dra.claims.plan.SettingsProblem.Contradiction;
import dev.pitcrew.agent.dra.claims.plan.SettingsProblem.Missing;
import dev.pitcrew.agent.dra.claims.plan.SettingsProblem.NotAllowed;
import dev.pitcrew.agent.dra.claims.plan.SettingsProblem.SwitchedOff;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;

/// Decodes opaque settings of `resource.nvidia.com/v1beta1` strictly: an unknown field, kind or
/// version is refused. Any user may write these settings, so every tree has a result and none
/// throws.
///
/// Source: NVIDIA's DRA driver, api/nvidia.com/resource/v1beta1, which decodes all settings of a
/// claim and validates those that apply to a device of the node. Its process ends at a
/// `timeSlicingConfig` without an interval, which is refused here.
public record SettingsDecoder(FeatureSwitches switches) {
  /// What settings are.
  public sealed interface Decoded {
    record Accepted(DeviceSettings settings) implements Decoded {}

    /// The form is right and a value is not: refused where the settings apply to a device.
    record Invalid(String kind, SettingsProblem problem) implements Decoded {}

    /// Refused wherever they are.
    record Malformed(SettingsProblem problem) implements Decoded {}
  }

  private static final List<String> KINDS =
      List.of(ForGpu.KIND, ForMigDevice.KIND, ForVfioDevice.KIND);
  private static final List<String> KINDS_OF_DOMAIN = List.of(ForChannel.KIND, ForDaemon.KIND);
  private static final String DOMAIN = "domainID";
  private static final String MODE = "allocationMode";
  private static final String SINGLE = "Single";
  private static final String ALL = "All";

  /// It becomes the value of a label and the name of a folder.
  private static final Pattern UID = Pattern.compile("[0-9a-z]([0-9a-z-]{0,61}[0-9a-z])?");

  private static final String UID_ALLOWED = "the UID of a ComputeDomain";
  private static final String STRATEGY = "strategy";
  private static final String SLICES = "timeSlicingConfig";
  private static final String INTERVAL = "interval";
  private static final String MPS = "mpsConfig";
  private static final String PERCENTAGES = "0 to 100";
  private static final String LIMIT_ALLOWED = "1Mi or more";
  private static final long MIB = 1L << 20;

  /// Settings of the driver `gpu.nvidia.com`.
  public Decoded decode(JsonNode parameters) {
    ObjectReader root = ObjectReader.root(parameters);
    return switch (root.kind(KINDS).orElse("")) {
      case ForGpu.KIND -> decoded(root.allow("apiVersion", "kind", "sharing"), this::gpu);
      case ForMigDevice.KIND -> decoded(root.allow("apiVersion", "kind", "sharing"), this::mig);
      case ForVfioDevice.KIND -> decoded(root.allow("apiVersion", "kind", "iommu"), this::vfio);
      default -> new Decoded.Malformed(root.malformed().getFirst());
    };
  }

  /// Settings of the driver `compute-domain.nvidia.com`.
  public static Decoded decodeOfDomain(JsonNode parameters) {
    ObjectReader root = ObjectReader.root(parameters);
    return switch (root.kind(KINDS_OF_DOMAIN).orElse("")) {
      case ForChannel.KIND ->
          decoded(
              root.allow("apiVersion", "kind", DOMAIN, MODE),
              it -> new ForChannel(domain(it), allChannels(it)));
      case ForDaemon.KIND ->
          decoded(root.allow("apiVersion", "kind", DOMAIN), it -> new ForDaemon(domain(it)));
      default -> new Decoded.Malformed(root.malformed().getFirst());
    };
  }

  private static String domain(ObjectReader root) {
    Optional<String> uid = root.text(DOMAIN);
    if (uid.filter(it -> UID.matcher(it).matches()).isEmpty()) {
      root.refuse(
          uid.<SettingsProblem>map(
                  it -> new NotAllowed(DOMAIN, ObjectReader.quoted(it), UID_ALLOWED))
              .orElseGet(() -> new Missing(DOMAIN, UID_ALLOWED)));
    }
    return uid.orElse("");
  }

  private static boolean allChannels(ObjectReader root) {
    return root.choice(
            MODE,
            it ->
                switch (it) {
                  case ALL -> Optional.of(true);
                  case SINGLE, "" -> Optional.of(false);
                  default -> Optional.empty();
                },
            SINGLE + ", " + ALL)
        .orElse(false);
  }

  private static Decoded decoded(ObjectReader root, Function<ObjectReader, DeviceSettings> read) {
    DeviceSettings settings = read.apply(root);
    if (!root.malformed().isEmpty()) {
      return new Decoded.Malformed(root.malformed().getFirst());
    }
    return root.invalid().isEmpty()
        ? new Decoded.Accepted(settings)
        : new Decoded.Invalid(settings.kind(), root.invalid().getFirst());
  }

  private DeviceSettings gpu(ObjectReader root) {
    return new ForGpu(
        root.object("sharing").flatMap(it -> sharing(it.allow(STRATEGY, SLICES, MPS))));
  }

  private DeviceSettings mig(ObjectReader root) {
    return new ForMigDevice(root.object("sharing").flatMap(it -> sharing(it.allow(STRATEGY, MPS))));
  }

  private DeviceSettings vfio(ObjectReader root) {
    Optional<ObjectReader> iommu = root.object("iommu");
    iommu.ifPresent(it -> it.allow("backendPolicy", "enableAPIDevice"));
    IommuBackend backend =
        iommu
            .flatMap(it -> it.choice("backendPolicy", IommuBackend::of, IommuBackend.allowed()))
            .orElse(IommuBackend.LEGACY_ONLY);
    return new ForVfioDevice(backend, iommu.flatMap(it -> it.bool("enableAPIDevice")));
  }

  private Optional<Sharing> sharing(ObjectReader sharing) {
    Optional<ObjectReader> slices = sharing.object(SLICES).map(it -> it.allow(INTERVAL));
    Optional<TimeSlice> interval =
        slices.flatMap(it -> it.choice(INTERVAL, TimeSlice::of, TimeSlice.allowed()));
    Optional<Sharing.Mps> mps = sharing.object(MPS).map(SettingsDecoder::mps);
    String strategy = sharing.text(STRATEGY).orElse("");
    return switch (strategy) {
      case Sharing.TIME_SLICING -> {
        check(sharing, switches.timeSlicing(), strategy, FeatureSwitches.TIME_SLICING);
        mps.ifPresent(_ -> sharing.refuse(new Contradiction(sharing.at(MPS), strategy, SLICES)));
        slices.ifPresent(it -> it.require(INTERVAL, TimeSlice.allowed()));
        yield Optional.of(new Sharing.TimeSlicing(interval.orElse(TimeSlice.DEFAULT)));
      }
      case Sharing.MPS -> {
        check(sharing, switches.mps(), strategy, FeatureSwitches.MPS);
        slices.ifPresent(_ -> sharing.refuse(new Contradiction(sharing.at(SLICES), strategy, MPS)));
        yield Optional.of(mps.orElseGet(SettingsDecoder::mpsDefault));
      }
      default -> {
        String allowed = Sharing.TIME_SLICING + ", " + Sharing.MPS;
        sharing.refuse(
            strategy.isEmpty()
                ? new Missing(sharing.at(STRATEGY), allowed)
                : new NotAllowed(sharing.at(STRATEGY), ObjectReader.quoted(strategy), allowed));
        yield Optional.empty();
      }
    };
  }

  private static void check(ObjectReader sharing, boolean isOn, String strategy, String gate) {
    if (!isOn) {
      sharing.refuse(new SwitchedOff(strategy, gate));
    }
  }

  private static Sharing.Mps mpsDefault() {
    return new Sharing.Mps(OptionalInt.empty(), OptionalLong.empty(), Map.of(), false);
  }

  private static Sharing.Mps mps(ObjectReader mps) {
    mps.allow(
        "defaultActiveThreadPercentage",
        "defaultPinnedDeviceMemoryLimit",
        "defaultPerDevicePinnedMemoryLimit",
        "multiUser");
    Optional<Integer> percentage = mps.integer("defaultActiveThreadPercentage", PERCENTAGES);
    percentage
        .filter(it -> it < 0 || it > 100)
        .ifPresent(it ->
            mps.refuse(
                new NotAllowed(
                    mps.at("defaultActiveThreadPercentage"), String.valueOf(it), PERCENTAGES)));
    Optional<Long> limit = limit(mps, "defaultPinnedDeviceMemoryLimit");
    var limits = new HashMap<String, Long>();
    mps.object("defaultPerDevicePinnedMemoryLimit")
        .ifPresent(devices ->
            devices
                .names()
                .forEach(name -> limit(devices, name).ifPresent(it -> limits.put(name, it))));
    return new Sharing.Mps(
        percentage.map(OptionalInt::of).orElseGet(OptionalInt::empty),
        limit.map(OptionalLong::of).orElseGet(OptionalLong::empty),
        limits,
        mps.bool("multiUser").orElse(false));
  }

  /// In MiB, in which the MPS server is given it.
  private static Optional<Long> limit(ObjectReader object, String field) {
    Optional<Long> bytes = object.quantity(field);
    bytes
        .filter(it -> it < MIB)
        .ifPresent(
            it -> object.refuse(new NotAllowed(object.at(field), it + " bytes", LIMIT_ALLOWED)));
    return bytes.map(it -> it / MIB);
  }
}
