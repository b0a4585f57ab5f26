// Long because what an entry of the checkpoint has is written and read in one place.
package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation.Result;
import dev.pitcrew.agent.dra.claims.plan.ClaimPlan.Assigned;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.PassthroughGpu;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// A claim in the checkpoint. It keeps the trees of NVIDIA's DRA driver, so that entries of either
/// driver stay complete.
///
/// @param isCompleted `PrepareCompleted`, or else `PrepareStarted`: then nothing of the claim may
///   be in use, and its effects are rolled back or repeated
/// @param status of the claim as it was allocated
/// @param groups `preparedDevices`; of a started claim those whose settings may have been applied
/// @param name of a started claim, or of one for a ComputeDomain
/// @param namespace likewise
/// @param results what the status allocates of this driver; each claim is compared with all others
public record PreparedClaim(
    boolean isCompleted,
    JsonNode status,
    JsonNode groups,
    String name,
    String namespace,
    List<Result> results) {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String DEVICES = "devices";
  private static final String DEVICE = "device";
  private static final String INFO = "info";
  private static final String UUID = "uuid";
  private static final String GPU = "gpu";
  private static final String MIG = "mig";
  private static final String VFIO = "vfio";
  private static final String ADDRESS = "pciBusID";
  private static final String STATE = "configState";
  private static final String TIME_SLICED = "timeSliceApplied";
  private static final String DAEMON = "mpsControlDaemonID";

  public PreparedClaim(
      boolean isCompleted, JsonNode status, JsonNode groups, String name, String namespace) {
    this(
        isCompleted,
        status,
        groups,
        name,
        namespace,
        ClaimAllocation.results(status, ClaimDevice.DRIVER));
  }

  /// Before the first effect on the node.
  public static PreparedClaim started(ClaimObject claim) {
    return new PreparedClaim(
        false,
        ClaimStatus.known(claim.status()),
        NODES.arrayNode(),
        claim.name(),
        claim.namespace());
  }

  /// Before settings are applied to its devices. Partitions are not made yet.
  public PreparedClaim withIntent(String uid, ClaimPlan plan) {
    return new PreparedClaim(false, status, groups(uid, plan), name, namespace);
  }

  public static PreparedClaim completed(ClaimObject claim, ClaimPlan plan) {
    return new PreparedClaim(
        true, ClaimStatus.known(claim.status()), groups(claim.uid(), plan), "", "");
  }

  /// The same once it is prepared, with its name and namespace, as NVIDIA's DRA driver for
  /// ComputeDomains keeps them.
  public PreparedClaim completedWith(JsonNode prepared) {
    return new PreparedClaim(true, status, prepared, name, namespace);
  }

  /// From the CDI file of the claim, which is all that is known of it.
  public static PreparedClaim rebuilt(String uid, String node, List<String> devices) {
    ObjectNode status = NODES.objectNode();
    ArrayNode results = status.putObject("allocation").putObject(DEVICES).putArray("results");
    ArrayNode prepared = NODES.arrayNode();
    ArrayNode group = prepared.addObject().putArray(DEVICES);
    for (String device : devices) {
      var result = new Result("", node, device, Optional.empty(), Optional.empty(), false);
      results
          .addObject()
          .put("request", "")
          .put("driver", ClaimDevice.DRIVER)
          .put("pool", node)
          .put(DEVICE, device);
      ObjectNode one = NODES.objectNode();
      one.putObject(INFO).put(UUID, "");
      one.set(DEVICE, answer(uid, result));
      ObjectNode of = group.addObject().putNull(GPU).putNull(MIG);
      of.set(PassthroughGpu.isName(device) ? VFIO : GPU, one);
    }
    ((ObjectNode) prepared.get(0)).putObject(STATE).put(DAEMON, "");
    return new PreparedClaim(true, status, prepared, "", "");
  }

  /// Whether it is from a CDI file: requests, settings and admin access are not known.
  public boolean isRebuilt() {
    return elements(status.path("allocation").path(DEVICES).path("results"))
        .anyMatch(result -> result.path("request").asText().isEmpty());
  }

  /// The names of its devices.
  public Set<String> deviceNames() {
    return results.stream()
        .map(Result::device)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /// What no other claim may change meanwhile: its devices, and the GPUs of its MIG devices, which
  /// have a compute mode in common.
  public Set<String> locks() {
    var locks = new LinkedHashSet<>(deviceNames());
    locks.addAll(parents(elements(groups)));
    return locks;
  }

  /// What a prepared device is.
  public enum DeviceType {
    GPU,
    MIG,
    VFIO,
    /// Of a version of NVIDIA's DRA driver that has more.
    UNKNOWN;

    /// As the checkpoint and the metrics name it.
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// How many devices of a type are prepared; none before the claim is completed.
  public long devicesOf(DeviceType type) {
    return isCompleted ? devices().filter(device -> type(device) == type).count() : 0;
  }

  private static DeviceType type(JsonNode device) {
    return Stream.of(DeviceType.GPU, DeviceType.MIG, DeviceType.VFIO)
        .filter(type -> device.path(type.text()).isObject())
        .findFirst()
        .orElse(DeviceType.UNKNOWN);
  }

  /// For kubelet.
  public List<PreparedDevice> answer() {
    return devices()
        .flatMap(device -> StreamSupport.stream(device.spliterator(), false))
        .filter(JsonNode::isObject)
        .map(device -> answered(device.path(DEVICE)))
        .toList();
  }

  /// The UUIDs of the GPUs whose time slice the claim has set, or may have.
  public Set<String> timeSliced() {
    return ownGpus(
        elements(groups).filter(group -> group.path(STATE).path(TIME_SLICED).asBoolean(false)));
  }

  /// The UUIDs of the whole GPUs that it holds other than with admin access.
  public Set<String> ownGpus() {
    return ownGpus(elements(groups));
  }

  /// The UUIDs of the GPUs that only MPS servers of the claim may use, or may have been to be so.
  public Set<String> exclusiveGpus() {
    List<JsonNode> shared =
        elements(groups)
            .filter(group -> !group.path(STATE).path(DAEMON).asText().isEmpty())
            .toList();
    var gpus = new LinkedHashSet<>(ownGpus(shared.stream()));
    gpus.addAll(parents(shared.stream()));
    return gpus;
  }

  /// A GPU that was given to a virtual machine, or may have been.
  ///
  /// @param address on the PCI bus; empty where only the CDI file of the claim was left
  public record GivenGpu(String device, String address) {}

  /// The GPUs that the claim has given to virtual machines, or may have.
  public List<GivenGpu> given() {
    return devices()
        .flatMap(
            device -> device.path(VFIO).isObject() ? Stream.of(device.path(VFIO)) : Stream.of())
        .map(vfio ->
            new GivenGpu(
                vfio.path(DEVICE).path("DeviceName").asText(),
                vfio.path(INFO).path(ADDRESS).asText()))
        .toList();
  }

  /// The same, and where the entry has no devices yet, the GPUs that the claim is allocated:
  /// NVIDIA's DRA driver writes the devices of a claim only once it has given them.
  public List<GivenGpu> mayHaveGiven() {
    return isCompleted || !groups.isEmpty()
        ? given()
        : results().stream()
            .map(Result::device)
            .filter(PassthroughGpu::isName)
            .map(device -> new GivenGpu(device, ""))
            .toList();
  }

  /// The same with its GPUs as they were before it was prepared.
  public PreparedClaim withoutIntent() {
    return new PreparedClaim(isCompleted, status, NODES.arrayNode(), name, namespace);
  }

  /// The UUIDs of the GPUs of MIG devices.
  private static Set<String> parents(Stream<JsonNode> of) {
    return of.flatMap(group -> elements(group.path(DEVICES)))
        .map(device -> device.path(MIG).path("concrete").path("parentUUID").asText())
        .filter(uuid -> !uuid.isEmpty())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private Set<String> ownGpus(Stream<JsonNode> of) {
    Set<String> admin =
        results.stream()
            .filter(Result::adminAccess)
            .map(Result::device)
            .collect(Collectors.toSet());
    return of.flatMap(group -> elements(group.path(DEVICES)))
        .map(device -> device.path(GPU))
        .filter(gpu -> !admin.contains(gpu.path(DEVICE).path("DeviceName").asText()))
        .map(gpu -> gpu.path(INFO).path(UUID).asText())
        .filter(uuid -> !uuid.isEmpty())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private Stream<JsonNode> devices() {
    return elements(groups).flatMap(group -> elements(group.path(DEVICES)));
  }

  private static PreparedDevice answered(JsonNode device) {
    return new PreparedDevice(
        elements(device.path("Requests"))
            .map(JsonNode::asText)
            .map(Result::main)
            .distinct()
            .toList(),
        device.path("PoolName").asText(),
        device.path("DeviceName").asText(),
        elements(device.path("CDIDeviceIDs")).map(JsonNode::asText).toList(),
        Optional.of(device.path("ShareID").asText()).filter(it -> !it.isEmpty()));
  }

  private static JsonNode groups(String uid, ClaimPlan plan) {
    ArrayNode groups = NODES.arrayNode();
    for (ClaimPlan.Group group : plan.groups()) {
      ObjectNode one = groups.addObject();
      ArrayNode devices = one.putArray(DEVICES);
      group.devices().stream()
          .filter(it -> !(it.device() instanceof ClaimDevice.Partition))
          .forEach(device -> devices.add(device(uid, device)));
      ObjectNode state =
          one.putObject(STATE).put(DAEMON, group.daemon(uid).map(ClaimDaemon::id).orElse(""));
      if (group.timeSliced().isPresent()) {
        state.put(TIME_SLICED, true);
      }
    }
    return groups;
  }

  private static ObjectNode device(String uid, Assigned assigned) {
    ObjectNode one = NODES.objectNode();
    ObjectNode node = NODES.objectNode();
    switch (assigned.device()) {
      case ClaimDevice.WholeGpu(var gpu) -> {
        one.putObject(INFO).put(UUID, gpu.uuid());
        node.<ObjectNode>set(GPU, one).putNull(MIG);
      }
      case ClaimDevice.MigPart(var gpu, var device) -> {
        one.putObject("concrete")
            .put("parentMinor", gpu.minor())
            .put("giId", device.place().gpuInstance())
            .put("ciId", device.place().computeInstance())
            .put("migUUID", device.uuid())
            .put("parentUUID", gpu.uuid());
        node.putNull(GPU).set(MIG, one);
      }
      case ClaimDevice.Passthrough(var function, _) -> {
        one.putObject(INFO).put(UUID, function.uuid()).put(ADDRESS, function.address());
        node.putNull(GPU).putNull(MIG).set(VFIO, one);
      }
      case ClaimDevice.Partition partition ->
          throw new IllegalArgumentException(partition.name() + " was not made");
    }
    one.set(DEVICE, answer(uid, assigned.result()));
    return node;
  }

  private static ObjectNode answer(String uid, Result result) {
    ObjectNode answer = NODES.objectNode();
    ArrayNode requests = answer.putArray("Requests");
    Stream.of(result.request()).filter(it -> !it.isEmpty()).forEach(requests::add);
    answer.put("PoolName", result.pool()).put("DeviceName", result.device());
    answer.putArray("CDIDeviceIDs").add(ClaimSpecification.id(uid, result.device()));
    result.shareId().ifPresent(id -> answer.put("ShareID", id));
    return answer;
  }

  private static Stream<JsonNode> elements(JsonNode array) {
    var items = new ArrayList<JsonNode>();
    if (array.isArray()) {
      StreamSupport.stream(array.spliterator(), false).forEach(items::add);
    }
    return items.stream();
  }
}
