package dev.pitcrew.agent.cdi;

import dev.pitcrew.agent.cdi.GpuDevices.Found;
import dev.pitcrew.hardware.driver.DeviceNode;
import dev.pitcrew.hardware.driver.DeviceNodes;
import dev.pitcrew.hardware.driver.DriverFile;
import dev.pitcrew.hardware.driver.DriverFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Makes the specifications of a node: the one entry for the agent and for the command. A pure
/// function, so equal input gives equal files.
public final class CdiSpecifications {
  private static final String ALL = "all";
  private static final ContainerEdits VOID = ContainerEdits.ofEnv("NVIDIA_VISIBLE_DEVICES=void");
  private static final List<String> CONTROL_NODES =
      List.of("/dev/nvidia-modeset", "/dev/nvidia-uvm-tools", "/dev/nvidia-uvm", "/dev/nvidiactl");
  private static final List<String> NOT_FOR_MANAGEMENT =
      List.of("nvidia-fs", "nvidia-nvswitch", "nvidia-nvlink");

  /// What was made.
  ///
  /// @param omissions what is missing of what was asked for, and why, for a log and a condition
  public record Generated(List<CdiSpecification> specifications, List<Omission> omissions) {
    public Generated {
      specifications = List.copyOf(specifications);
      omissions = List.copyOf(omissions);
    }
  }

  /// Something that was asked for and is in no specification.
  public sealed interface Omission {
    /// The whole of it, for a log.
    String text();

    /// @param uuid of a GPU or MIG device
    /// @param missing the device file that the node does not have
    record OfDevice(String uuid, String missing) implements Omission {
      @Override
      public String text() {
        return uuid + " is left out: " + missing + " is missing";
      }
    }

    record OfImexChannel(int channel, String missing) implements Omission {
      @Override
      public String text() {
        return "IMEX channel " + channel + " is left out: " + missing + " is missing";
      }
    }

    /// A whole specification, as none of its devices is there.
    record WithoutDevices(CdiKind kind) implements Omission {
      @Override
      public String text() {
        return "no specification " + kind + ": the node has no such device";
      }
    }

    /// A whole specification, as the driver's files are not there.
    record WithoutDriver(CdiKind kind, String reason) implements Omission {
      @Override
      public String text() {
        return "no specification " + kind + ": " + reason;
      }
    }
  }

  private final CdiInput input;
  private final CdiOptions options;
  private final EditSource source;
  private final List<Omission> omissions = new ArrayList<>();

  private CdiSpecifications(CdiInput input, CdiOptions options) {
    this.input = input;
    this.options = options;
    this.source = new EditSource(input.root(), options);
  }

  public static Generated generate(CdiInput input, CdiOptions options) {
    CdiSpecifications specifications = new CdiSpecifications(input, options);
    List<CdiSpecification> made =
        options.classes().stream()
            .distinct()
            .flatMap(type -> specifications.specification(type).stream())
            .toList();
    return new Generated(made, specifications.omissions);
  }

  private Optional<CdiSpecification> specification(CdiClass type) {
    List<CdiDevice> devices =
        switch (type) {
          case GPU -> gpus();
          case IMEX_CHANNEL -> imexChannels();
          case GDS -> storage();
          case MOFED -> all(nodes("/dev/infiniband", _ -> true));
          case GDRCOPY -> all(nodes("/dev", "gdrdrv"::equals));
          case NVSWITCH -> all(nodes("/dev", name -> name.startsWith("nvidia-nvswitch")));
          case MANAGEMENT -> all(managementNodes());
        };
    Optional<ContainerEdits> common = common(type);
    CdiKind kind = options.kind(type);
    if (devices.isEmpty()) {
      omissions.add(new Omission.WithoutDevices(kind));
      return Optional.empty();
    }
    if (common.isEmpty()) {
      omissions.add(new Omission.WithoutDriver(kind, missingDriver()));
    }
    return common.map(edits -> Simplification.of(new CdiSpecification(kind, devices, edits)));
  }

  private Optional<ContainerEdits> common(CdiClass type) {
    ContainerEdits leaveAlone = options.voidEnv().contains(type) ? VOID : ContainerEdits.NONE;
    return switch (type) {
      case GPU -> driver().map(driver -> controlNodes().and(driver.forUsers()).and(leaveAlone));
      case MANAGEMENT -> driver().map(driver -> driver.forManagement().and(leaveAlone));
      case IMEX_CHANNEL, GDS, MOFED, GDRCOPY, NVSWITCH -> Optional.of(leaveAlone);
    };
  }

  private Optional<DriverEdits> driver() {
    return input.driver().map(files -> new DriverEdits(source, files));
  }

  private ContainerEdits controlNodes() {
    return source.nodes(
        CONTROL_NODES.stream().flatMap(path -> input.nodes().node(path).stream()).toList());
  }

  private List<CdiDevice> gpus() {
    GpuDevices gpus = new GpuDevices(source, input.nodes());
    List<CdiDevice> devices = new ArrayList<>();
    input.inventory().gpus().stream()
        .flatMap(gpu -> gpus.of(gpu).stream())
        .forEach(found -> {
          switch (found) {
            case Found.Device(var name, var edits) ->
                options.namings().stream()
                    .map(naming -> new CdiDevice(name.apply(naming), edits))
                    .forEach(devices::add);
            case Found.WithoutNode(String uuid, String missing) ->
                omissions.add(new Omission.OfDevice(uuid, missing));
          }
        });
    if (options.allDevice() && !devices.isEmpty()) {
      devices.add(new CdiDevice(ALL, union(devices)));
    }
    return devices;
  }

  private static ContainerEdits union(List<CdiDevice> devices) {
    return devices.stream().map(CdiDevice::edits).reduce(ContainerEdits.NONE, ContainerEdits::and);
  }

  private List<CdiDevice> imexChannels() {
    List<CdiDevice> devices = new ArrayList<>();
    for (int channel : options.imexChannels()) {
      String path = DeviceNodes.imexChannel(channel);
      if (input.nodes().node(path).isPresent()) {
        devices.add(new CdiDevice(String.valueOf(channel), source.bareNode(path)));
      } else {
        omissions.add(new Omission.OfImexChannel(channel, path));
      }
    }
    return devices;
  }

  private List<CdiDevice> storage() {
    List<DriverFile> files = input.driver().map(DriverFiles::storage).orElse(List.of());
    return all(nodes("/dev", name -> name.startsWith("nvidia-fs"))).stream()
        .map(device -> new CdiDevice(device.name(), device.edits().and(source.files(files))))
        .toList();
  }

  private List<DeviceNode> managementNodes() {
    Predicate<String> isLeftOut = name -> NOT_FOR_MANAGEMENT.stream().anyMatch(name::startsWith);
    return Stream.of(
            nodes("/dev", name -> name.startsWith("nvidia") && !isLeftOut.test(name)),
            nodes("/dev/nvidia-caps", _ -> true),
            nodes("/dev/nvidia-caps-imex-channels", _ -> true))
        .flatMap(List::stream)
        .toList();
  }

  private List<CdiDevice> all(List<DeviceNode> nodes) {
    return nodes.isEmpty() ? List.of() : List.of(new CdiDevice(ALL, source.nodes(nodes)));
  }

  private List<DeviceNode> nodes(String folder, Predicate<String> names) {
    return input.nodes().in(folder, names);
  }

  private String missingDriver() {
    String version = input.inventory().driver().driver();
    return "no library of driver " + version + " below " + input.root().filesOnHost();
  }
}
