package dev.pitcrew.agent.dra.claims.plan;

import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation.Result;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForChannel;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForDaemon;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForGpu;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForMigDevice;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForVfioDevice;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.Sharing;
import dev.pitcrew.device.dra.ClaimDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The devices of a claim, grouped by the settings that apply to them.
///
/// Settings of classes come before those of the claim, each in the order of the list, and the last
/// that match a device apply. Settings with `requests` match the devices of these requests, and
/// must be of the kind of the device; settings without match each device of their kind.
///
/// @param groups from the lowest settings to the highest
public record ClaimPlan(List<Group> groups) {
  private static final int VOLTA = 7;

  public ClaimPlan {
    groups = List.copyOf(groups);
  }

  /// A device of the node for a result of the claim.
  public record Assigned(Result result, ClaimDevice device) {}

  /// @param devices in the order of the claim
  public record Group(DeviceSettings settings, List<Assigned> devices) {
    public Group {
      devices = List.copyOf(devices);
    }

    Optional<Sharing> sharing() {
      return switch (settings) {
        case ForGpu(var sharing) -> sharing;
        case ForMigDevice(var sharing) -> sharing;
        case ForVfioDevice _, ForChannel _, ForDaemon _ -> Optional.empty();
      };
    }

    List<String> uuids() {
      return devices.stream().map(it -> it.device().uuid()).distinct().toList();
    }

    /// Admin access changes nothing for others.
    private List<Assigned> own() {
      return devices.stream().filter(it -> !it.result().adminAccess()).toList();
    }

    /// The daemon through which the containers of the claim share these devices.
    Optional<ClaimDaemon> daemon(String uid) {
      return sharing().orElse(null) instanceof Sharing.Mps mps && !own().isEmpty()
          ? Optional.of(ClaimDaemon.of(uid, mps, own()))
          : Optional.empty();
    }

    /// The GPUs whose time slice the claim sets.
    Optional<TimeSliced> timeSliced() {
      List<String> own = own().stream().map(it -> it.device().uuid()).distinct().toList();
      return settings instanceof ForGpu(var sharing)
              && sharing.orElse(null) instanceof Sharing.TimeSlicing(var interval)
              && !own.isEmpty()
          ? Optional.of(new TimeSliced(own, interval))
          : Optional.empty();
    }
  }

  /// GPUs, by UUID, whose time slice a claim sets.
  public record TimeSliced(List<String> gpus, DeviceSettings.TimeSlice interval) {
    public TimeSliced {
      gpus = List.copyOf(gpus);
    }
  }

  public sealed interface Planned {
    record Ready(ClaimPlan plan) implements Planned {}

    record Refused(String reason) implements Planned {}
  }

  /// The time slices that the claim sets.
  public List<TimeSliced> timeSlices() {
    return groups.stream().flatMap(group -> group.timeSliced().stream()).toList();
  }

  /// The MPS control daemons that the claim needs.
  ///
  /// @param uid of the claim
  public List<ClaimDaemon> daemons(String uid) {
    return groups.stream().flatMap(group -> group.daemon(uid).stream()).toList();
  }

  /// With MIG devices in place of the partitions of these names.
  public ClaimPlan with(Map<String, ClaimDevice.MigPart> made) {
    return new ClaimPlan(
        groups.stream()
            .map(group ->
                new Group(
                    group.settings(),
                    group.devices().stream()
                        .map(it ->
                            new Assigned(
                                it.result(),
                                made.containsKey(it.device().name())
                                    ? made.get(it.device().name())
                                    : it.device()))
                        .toList()))
            .toList());
  }

  /// Whether MIG devices are to be made for the claim.
  public boolean hasPartitions() {
    return devices().stream().anyMatch(it -> it.device() instanceof ClaimDevice.Partition);
  }

  public List<Assigned> devices() {
    return groups.stream().flatMap(group -> group.devices().stream()).toList();
  }

  /// @param decoder knows which strategies the node allows
  public static Planned of(
      ClaimObject claim, ClaimAllocation allocation, NodeDevices node, SettingsDecoder decoder) {
    return new Planner(claim, node).plan(allocation, decoder);
  }

  private enum Type {
    VFIO(-3),
    MIG(-2),
    GPU(-1);

    /// Of the default settings: below all others.
    private final int rank;

    Type(int rank) {
      this.rank = rank;
    }

    DeviceSettings defaults() {
      return switch (this) {
        case VFIO -> DeviceSettings.VFIO_DEFAULT;
        case MIG -> DeviceSettings.MIG_DEFAULT;
        case GPU -> DeviceSettings.GPU_DEFAULT;
      };
    }

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Type of(ClaimDevice device) {
      return switch (device) {
        case ClaimDevice.Passthrough _ -> VFIO;
        case ClaimDevice.MigPart _, ClaimDevice.Partition _ -> MIG;
        case ClaimDevice.WholeGpu _ -> GPU;
      };
    }
  }

  private record Planner(ClaimObject claim, NodeDevices node) {
    Planned plan(ClaimAllocation allocation, SettingsDecoder decoder) {
      return switch (SettingsChoice.of(allocation, ClaimDevice.DRIVER, decoder::decode)) {
        case SettingsChoice.Read.Refused(var reason) -> refused(reason);
        case SettingsChoice.Read.Ranked(var choice) -> grouped(allocation, choice);
      };
    }

    private Planned grouped(ClaimAllocation allocation, SettingsChoice choice) {
      var settings = new TreeMap<Integer, DeviceSettings>();
      var devices = new TreeMap<Integer, List<Assigned>>();
      for (Result result : allocation.results()) {
        ClaimDevice device = node.devices().get(result.device());
        if (device == null) {
          return refused("request %s: %s".formatted(result.request(), unknown(result)));
        }
        Type type = Type.of(device);
        switch (choice.choose(result, type.defaults().kind(), type.text())) {
          case SettingsChoice.Choice.Refused(var reason) -> {
            return refused(reason);
          }
          case SettingsChoice.Choice.None() -> {
            settings.put(type.rank, type.defaults());
            devices
                .computeIfAbsent(type.rank, _ -> new ArrayList<>())
                .add(new Assigned(result, device));
          }
          case SettingsChoice.Choice.Chosen(int rank, var chosen) -> {
            settings.put(rank, chosen);
            devices.computeIfAbsent(rank, _ -> new ArrayList<>()).add(new Assigned(result, device));
          }
        }
      }
      List<Group> groups =
          settings.entrySet().stream()
              .map(it -> new Group(it.getValue(), devices.getOrDefault(it.getKey(), List.of())))
              .toList();
      return groups.stream()
          .flatMap(group -> mpsProblem(group).stream())
          .findFirst()
          .<Planned>map(Planned.Refused::new)
          .orElseGet(() -> new Planned.Ready(new ClaimPlan(groups)));
    }

    /// A limit for one device names it by UUID or by its position among the devices of the group.
    private Optional<String> mpsProblem(Group group) {
      if (!(group.sharing().orElse(null) instanceof Sharing.Mps mps)) {
        return Optional.empty();
      }
      List<String> uuids = group.uuids();
      List<String> allowed =
          IntStream.range(0, uuids.size())
              .mapToObj(index -> index + " or " + uuids.get(index))
              .toList();
      Optional<String> unknown =
          mps.deviceMemoryLimits().keySet().stream()
              .filter(key -> !uuids.contains(key) && !isIndex(key, uuids.size()))
              .sorted()
              .findFirst()
              .map(key ->
                  "sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit names device \"%s\"; allowed: %s"
                      .formatted(ObjectReader.shorten(key), String.join(", ", allowed)));
      Optional<String> shared =
          group.devices().stream()
              .map(Assigned::result)
              .filter(node::isShared)
              .map(Result::device)
              .findFirst()
              .map(device ->
                  "sharing.strategy is \"MPS\", and several claims may share device %s; allowed: %s"
                      .formatted(device, Sharing.TIME_SLICING));
      // Its UUID, which the limits and the daemon name, is known once it is made.
      Optional<String> made =
          group.devices().stream()
              .filter(it -> it.device() instanceof ClaimDevice.Partition)
              .findFirst()
              .map(it ->
                  "sharing.strategy is \"MPS\", and device %s is made when the claim is prepared; allowed: %s"
                      .formatted(it.result().device(), Sharing.TIME_SLICING));
      return made.or(() -> unknown)
          .or(() -> shared)
          .or(() -> mps.isMultiUser() ? tooOld(group) : Optional.empty())
          .map(it -> text(requests(group) + ": " + it));
    }

    /// Before Volta a server had a context for each client (MPS guide, multi-user sharing).
    private static Optional<String> tooOld(Group group) {
      return group.devices().stream()
          .map(Assigned::device)
          .filter(it -> it.gpu().board().computeCapability().major() < VOLTA)
          .findFirst()
          .map(it ->
              "sharing.mpsConfig.multiUser is true, and %s has compute capability %s; allowed: 7.0 and higher"
                  .formatted(it.name(), it.gpu().board().computeCapability()));
    }

    private static boolean isIndex(String key, int count) {
      return IntStream.range(0, count).anyMatch(index -> key.equals(String.valueOf(index)));
    }

    private static String requests(Group group) {
      return "request "
          + group.devices().stream()
              .map(it -> it.result().request())
              .distinct()
              .collect(Collectors.joining(", "));
    }

    private String unknown(Result result) {
      String known =
          String.join(", ", Map.copyOf(node.devices()).keySet().stream().sorted().toList());
      return "device %s is not on this node; its devices: %s"
          .formatted(result.device(), known.isEmpty() ? "none" : known);
    }

    private Planned refused(String problem) {
      return new Planned.Refused(text(problem));
    }

    private String text(String problem) {
      return "claim %s, %s".formatted(claim.text(), problem);
    }
  }
}
