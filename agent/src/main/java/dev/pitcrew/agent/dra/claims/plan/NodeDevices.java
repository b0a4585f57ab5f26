package dev.pitcrew.agent.dra.claims.plan;

import dev.pitcrew.agent.cdi.CdiDevice;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.CdiSpecifications;
import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.hardware.driver.DeviceNode;
import dev.pitcrew.hardware.driver.DeviceNodes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The devices of a node that claims may be allocated, and what a container gets with each, at one
/// moment. It is made once for each inventory and serves all claims until the next.
///
/// @param node its name, which is the name of the pool
/// @param devices by their names in ResourceSlices
/// @param edits by the UUID of the device
/// @param common what a container gets with any device; empty where the driver's files are missing
/// @param omissions why devices have no edits, or why there are no common ones
/// @param shareable the names of devices that several claims may hold at the same time
/// @param source what the edits of a MIG device are made of that is made for a claim
public record NodeDevices(
    String node,
    Map<String, ClaimDevice> devices,
    Map<String, ContainerEdits> edits,
    Optional<ContainerEdits> common,
    List<String> omissions,
    Set<String> shareable,
    Optional<Source> source) {
  private static final String CAPABILITIES = "/dev/nvidia-caps";
  private static final int READABLE_BY_ALL = 0444;

  /// What edits are made of.
  ///
  /// @param input the files and nodes of the inventory that the devices are of
  /// @param options see [CdiOptions#ofClaims]
  public record Source(CdiInput input, CdiOptions options) {}

  public NodeDevices(
      String node,
      Map<String, ClaimDevice> devices,
      Map<String, ContainerEdits> edits,
      Optional<ContainerEdits> common,
      List<String> omissions,
      Set<String> shareable) {
    this(node, devices, edits, common, omissions, shareable, Optional.empty());
  }

  public NodeDevices {
    devices = Map.copyOf(devices);
    edits = Map.copyOf(edits);
    omissions = List.copyOf(omissions);
    shareable = Set.copyOf(shareable);
  }

  /// @param input the files and nodes of the inventory that the devices are of
  /// @param options see [CdiOptions#ofClaims]
  public static NodeDevices of(
      String node, List<ClaimDevice> devices, CdiInput input, CdiOptions options) {
    return of(
        node,
        devices.stream().collect(Collectors.toMap(ClaimDevice::name, Function.identity())),
        input,
        options);
  }

  public static NodeDevices of(
      String node, Map<String, ClaimDevice> devices, CdiInput input, CdiOptions options) {
    var generated = CdiSpecifications.generate(offered(input, devices), options);
    return new NodeDevices(
        node,
        devices,
        edits(generated),
        generated.specifications().stream().map(CdiSpecification::common).findFirst(),
        generated.omissions().stream().map(CdiSpecifications.Omission::text).toList(),
        Set.of(),
        Optional.of(new Source(input, options)));
  }

  private static Map<String, ContainerEdits> edits(CdiSpecifications.Generated generated) {
    var edits = new HashMap<String, ContainerEdits>();
    generated.specifications().stream()
        .flatMap(specification -> specification.devices().stream())
        .forEach(device -> edits.put(device.name(), device.edits()));
    return edits;
  }

  /// A GPU that is offered as a whole although it is in MIG mode, which the claim for it turns off,
  /// has the edits of a whole GPU.
  private static CdiInput offered(CdiInput input, Map<String, ClaimDevice> devices) {
    Set<String> whole =
        devices.values().stream()
            .filter(ClaimDevice.WholeGpu.class::isInstance)
            .map(ClaimDevice::uuid)
            .collect(Collectors.toUnmodifiableSet());
    return with(
        input,
        input.inventory().gpus().stream()
            .map(gpu ->
                whole.contains(gpu.uuid()) && gpu.mig().isEnabled()
                    ? with(gpu, new Mig.Disabled(gpu.mig().supportedProfiles()))
                    : gpu)
            .toList(),
        input.nodes());
  }

  private static CdiInput with(CdiInput input, List<Gpu> gpus, DeviceNodes nodes) {
    Inventory all = input.inventory();
    return new CdiInput(
        new Inventory(all.driver(), gpus, all.unreadable(), all.topology()),
        input.root(),
        input.driver(),
        nodes);
  }

  private static Gpu with(Gpu gpu, Mig mig) {
    return new Gpu(gpu.index(), gpu.minor(), gpu.uuid(), gpu.board(), gpu.pci(), mig, gpu.fabric());
  }

  /// Also with what a container gets with a MIG device that was made for a claim.
  public NodeDevices with(ClaimDevice.MigPart part) {
    if (source.isEmpty()) {
      return this;
    }
    CdiInput input = source.get().input();
    Gpu gpu = with(part.gpu(), new Mig.Enabled(Set.of(), List.of(part.device())));
    DeviceNodes nodes = withCapabilities(input.nodes(), part.device());
    var generated =
        CdiSpecifications.generate(with(input, List.of(gpu), nodes), source.get().options());
    var all = new HashMap<>(edits);
    all.putAll(edits(generated));
    var left = new ArrayList<>(omissions);
    generated.omissions().forEach(omission -> left.add(omission.text()));
    return new NodeDevices(node, devices, all, common, left, shareable, source);
  }

  /// For a claim that gives GPUs to virtual machines: the container has no use for the files of the
  /// driver, and the container runtime is to add none.
  ///
  /// @param own what a container gets with each of these GPUs, by the UUID of the device
  /// @param shared what it gets with any of them
  public NodeDevices ofMachines(Map<String, ContainerEdits> own, ContainerEdits shared) {
    var all = new HashMap<>(edits);
    all.putAll(own);
    return new NodeDevices(node, devices, all, Optional.of(shared), omissions, shareable, source);
  }

  /// The files of a new device may not be there yet: a container gets its own by their numbers.
  private static DeviceNodes withCapabilities(DeviceNodes nodes, MigDevice device) {
    OptionalInt major =
        nodes.in(CAPABILITIES, _ -> true).stream().mapToInt(DeviceNode::major).findFirst();
    var all = new ArrayList<>(nodes.nodes());
    if (major.isPresent()) {
      device.capabilities().stream()
          .flatMap(it -> Stream.of(it.gpuInstanceMinor(), it.computeInstanceMinor()))
          .map(minor ->
              new DeviceNode(
                  CAPABILITIES + "/nvidia-cap" + minor,
                  major.getAsInt(),
                  minor,
                  READABLE_BY_ALL,
                  0))
          .filter(node -> nodes.node(node.path()).isEmpty())
          .forEach(all::add);
    }
    return new DeviceNodes(all, nodes.displayNodes(), nodes.displayLinks());
  }

  /// The same where several claims may hold these devices.
  public NodeDevices withShareable(Set<String> names) {
    return new NodeDevices(node, devices, edits, common, omissions, names, source);
  }

  /// Whether the result of a claim is a share of its device. The scheduler gives each share an id;
  /// such a claim keeps its share when claims cannot share the device any longer.
  boolean isShared(ClaimAllocation.Result result) {
    return result.shareId().isPresent() || shareable.contains(result.device());
  }

  /// What a container gets with a device of a claim.
  Optional<CdiDevice> cdiDevice(String name, ClaimDevice device) {
    return Optional.ofNullable(edits.get(device.uuid()))
        .map(ContainerEdits::withCapabilitiesOfHost)
        .map(it -> new CdiDevice(name, it));
  }
}
