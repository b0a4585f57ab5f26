// Long because it has the steps of all kinds of recorded cases.
package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.agent.dra.claims.plan.PreparedDevice;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Plays a recorded case against [ClaimPreparer] and compares answers, checkpoint, CDI files and
/// calls of `nvidia-smi`, step by step. Where the case says what is better, that is expected.
final class CaseReplay implements AutoCloseable {
  private static final String PLUGIN = "/var/lib/kubelet/plugins/gpu.nvidia.com";
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Pattern UID = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private final JsonNode fact;
  private final String id;
  private final TestNode node;
  private final Optional<PartitionedNode> partitioned;
  private final Optional<PassthroughNode> machines;
  private List<String> foreign = List.of();
  private final Map<String, ClaimObject> claims = new HashMap<>();
  private final TestSupervisor supervisor;
  private ClaimPreparer preparer;
  private String bootId = TestNode.BOOT;
  private String done = "";
  private int compared;

  CaseReplay(String id, Path folder) throws IOException {
    this.id = id;
    fact = Facts.read(id);
    String profile = fact.path("node").asText();
    machines =
        PassthroughNode.isOf(fact)
            ? Optional.of(PassthroughNode.of(folder, profile))
            : Optional.empty();
    if (fact.path("featureGates").path("DynamicMIG").asBoolean()) {
      int gpus = Facts.read("nodes").path(profile).path("gpus").size();
      partitioned =
          Optional.of(new PartitionedNode(folder, profile.replaceAll("x\\d+$", ""), gpus));
      node = partitioned.get().files();
      fail(Facts.texts(fact.path("faults")));
    } else {
      partitioned = Optional.empty();
      node =
          machines.isPresent()
              ? machines.get().files()
              : TestNode.of(folder, profile, Facts.texts(fact.path("migStateBefore")));
    }
    supervisor =
        TestSupervisor.start(
            node,
            id.equals("mps-not-ready")
                ? TestSupervisor.Daemons.FAIL
                : TestSupervisor.Daemons.START);
    preparer = start();
  }

  @Override
  public void close() throws IOException {
    supervisor.close();
  }

  /// For as long as the case lasts.
  private void fail(List<String> faults) {
    for (String fault : faults) {
      String[] words = fault.split(" returns NVML error ", -1);
      partitioned.orElseThrow().gpus().simulate("fail", words[0], words[1], "1000000");
    }
  }

  private NodeDevices devices() {
    return partitioned
        .map(it -> it.devices(preparer))
        .or(() -> machines.map(it -> it.devices(preparer)))
        .orElseGet(node::devices);
  }

  private ClaimPreparer start() {
    JsonNode gates = fact.path("featureGates");
    var switches =
        new FeatureSwitches(
            gates.path("TimeSlicingSettings").asBoolean(),
            gates.path("MPSSupport").asBoolean(),
            gates.path("DynamicMIG").asBoolean());
    ClaimPreparer started =
        ClaimPreparer.open(
            node.places(bootId),
            switches,
            node.smi(),
            partitioned.map(PartitionedNode::partitions).orElseGet(NoPartitions::new),
            machines.map(it -> it.step(it::written)).orElseGet(NoPassthrough::new),
            (_, _) -> {});
    assertThat(started.recover()).isEmpty();
    assertThat(started.recoverGiven()).isEmpty();
    return started;
  }

  /// @return how many values were compared
  int play() throws IOException {
    if (fact.path("steps").path(0).path("do").has("file is written")) {
      Files.delete(node.checkpoint());
    }
    for (JsonNode step : fact.path("steps")) {
      JsonNode action = step.path("do");
      if (action.isTextual()) {
        plain(action.asText(), step.path("got"));
      } else {
        String verb = action.fieldNames().next();
        act(verb, action.path(verb), action, step.path("got"));
        done = verb + " " + action.path(verb);
      }
    }
    return compared;
  }

  private void plain(String what, JsonNode got) throws IOException {
    if (what.startsWith("the node has rebooted")) {
      bootId = "cccccccc-1111-4222-8333-dddddddddddd";
    } else if (what.equals("driver changes")) {
      same(machines.orElseThrow().changes(), changes(got));
    } else if (what.startsWith("the PCI device 0000:1a:00.0 is bound to the driver nouveau")) {
      machines.orElseThrow().pci().bindTo("0000:1a:00.0", "nouveau");
    } else if (what.equals("ResourceSlices") && machines.isPresent()) {
      same(
          machines.get().listed(preparer),
          Facts.elements(got.path(0).at("/spec/devices"))
              .map(device -> device.path("name").asText())
              .toList());
    } else if (what.equals("how the program ended")) {
      // Better: it has not, and goes on with other claims.
      assertThat(got.path("exit").asInt()).isEqualTo(2);
      same(preparer.unprepare(find("boom").uid()) instanceof UnprepareOutcome.Unprepared, true);
      same(preparer.claims().isEmpty(), true);
    } else if (what.startsWith("a block \"v3\"")) {
      ObjectNode root = (ObjectNode) Facts.parse(Files.readString(node.checkpoint()));
      root.putObject("v3").put("x", 1);
      Files.writeString(node.checkpoint(), root.toString().replace(":", ": ").replace(",", ", "));
    }
  }

  /// Better: a GPU that was on another driver is left on it.
  private List<String> changes(JsonNode got) {
    return id.equals("vfio-bad") ? List.of() : Facts.texts(got);
  }

  private void act(String verb, JsonNode what, JsonNode action, JsonNode got) throws IOException {
    switch (verb) {
      case "start" -> preparer = start();
      case "start and exit" -> startsDespiteDamage();
      case "file is written" -> Files.writeString(node.checkpoint(), action.path("text").asText());
      case "allocated claim" -> claim(what);
      case "prepare" -> prepare(what, got);
      case "unprepare" -> unprepare(Facts.texts(what));
      case "state on the node" -> state(Facts.texts(what), got);
      case "real pod" -> pod(what, got);
      case "pod and claim deleted" -> unprepare(List.of(what.asText()));
      case "objects" -> daemons(got);
      case "MIG state is now" -> divide(Facts.texts(what));
      case "pod for the scheduler" -> scheduled(what, got);
      case "NotifyRegistrationStatus", "created", "delete" -> {}
      default -> throw new AssertionError(id + ": unknown step " + verb);
    }
  }

  /// Better than an exit: the file is set aside and the driver starts.
  private void startsDespiteDamage() throws IOException {
    String before = Files.readString(node.checkpoint());
    preparer = start();
    same(Files.readString(node.plugin().resolve("checkpoint.json.damaged-1")), before);
    same(preparer.claims().isEmpty(), true);
  }

  private void claim(JsonNode what) {
    String name = what.path("name").asText();
    String known =
        UID.matcher(fact.path("steps").toString())
            .results()
            .map(MatchResult::group)
            .filter(it -> id.equals("cp-golden") && !it.equals(TestNode.BOOT))
            .findFirst()
            .orElse("0a1b2c3d-0000-4000-8000-%012d".formatted(claims.size()));
    claims.put(name, TestClaim.of(what, known));
  }

  private void pod(JsonNode what, JsonNode got) {
    ObjectNode claim = Facts.MAPPER.createObjectNode().put("name", what.path("name").asText());
    claim
        .putArray("devices")
        .addObject()
        .put("request", what.path("requests").path(0).path("name").asText())
        .put("device", "gpu-0");
    if (what.has("config")) {
      JsonNode opaque = what.path("config").path(0).path("opaque");
      claim
          .putArray("config")
          .addObject()
          .put("source", "FromClaim")
          .put("driver", opaque.path("driver").asText())
          .set("parameters", opaque.path("parameters"));
    }
    claim(claim);
    ClaimObject object = find(what.path("name").asText());
    PrepareOutcome outcome = preparer.prepare(object, devices());
    same(outcome instanceof PrepareOutcome.Prepared, got.path("phase").asText().equals("Running"));
    if (id.equals("kubelet-crash")) {
      assertThat(outcome.toString()).contains("timeSlicingConfig", "interval", "Default, Short");
      compared++;
    }
  }

  private ClaimObject find(String name) {
    return Optional.ofNullable(claims.get(name)).orElseThrow();
  }

  private void prepare(JsonNode names, JsonNode got) {
    for (String name : Facts.texts(names)) {
      ClaimObject claim = find(name);
      JsonNode expected = got.path("claims").path("<uid:" + name + ">");
      if (expected.isMissingNode()) {
        expected = got.path("claims").path(claim.uid());
      }
      switch (preparer.prepare(claim, devices())) {
        case PrepareOutcome.Prepared(var devices) -> {
          ObjectNode answer = Facts.MAPPER.createObjectNode();
          ArrayNode array = answer.putArray("devices");
          devices.forEach(device -> array.add(answer(device)));
          answer.put("error", "");
          same(masked(answer), masked(expected));
        }
        case PrepareOutcome.Refused(var reason) -> refused(reason, name, expected);
        case PrepareOutcome.NotReady(var reason) -> throw new AssertionError(reason);
        case PrepareOutcome.Failed(var reason) -> refused(reason, name, expected);
      }
    }
  }

  /// A line of the supervisor in place of a Deployment of the recorded driver: with the same GPUs
  /// and control commands. Better: none is left of a claim that is gone.
  private void daemons(JsonNode deployments) {
    if (done.startsWith("unprepare")) {
      same(supervisor.running(), List.of());
      return;
    }
    JsonNode recorded = deployments.path(0).at("/spec/template/spec/containers/0");
    String[] words = supervisor.running().getFirst().split(" ", -1);
    boolean isMultiUser = words[2].equals("multi-user");
    var commands = new ArrayList<String>();
    var gpus = new ArrayList<String>();
    commands.add("nvidia-cuda-mps-control -d" + (isMultiUser ? " -M" : ""));
    commands.add("set_default_active_thread_percentage " + words[1]);
    for (String word : List.of(words).subList(isMultiUser ? 3 : 2, words.length)) {
      String[] parts = word.split("=", -1);
      gpus.add(parts[1]);
      commands.add("set_default_device_pinned_mem_limit %s %sM".formatted(parts[1], parts[2]));
    }
    same(commands, Facts.texts(recorded.path("controlCommands")));
    same(String.join(",", gpus), recorded.at("/env/0/value").asText());
  }

  private void refused(String reason, String name, JsonNode expected) {
    assertThat(expected.path("error").asText()).as(id + " " + reason).isNotEmpty();
    assertThat(reason).contains("/" + name);
    if (id.equals("config-errors")) {
      assertThat(reason).contains("allowed");
    }
    compared += 2;
  }

  private static ObjectNode answer(PreparedDevice device) {
    ObjectNode node = Facts.MAPPER.createObjectNode();
    device.cdiIds().forEach(node.putArray("cdiDeviceIds")::add);
    node.put("deviceName", device.device()).put("poolName", device.pool());
    device.requests().forEach(node.putArray("requestNames")::add);
    return node;
  }

  private void unprepare(List<String> names) {
    for (String name : names) {
      same(preparer.unprepare(find(name).uid()) instanceof UnprepareOutcome.Unprepared, true);
    }
  }

  private void state(List<String> parts, JsonNode got) throws IOException {
    for (String part : parts) {
      switch (part) {
        case "checkpoint-raw" -> {
          String expected = got.path("checkpointRaw").asText();
          String actual = Files.readString(node.checkpoint());
          same(expected.contains("<boot id>") ? unbooted(actual) : actual, expected);
        }
        case "checkpoint" ->
            same(
                masked(Facts.parse(unbooted(Files.readString(node.checkpoint())))),
                masked(checkpoint(got)));
        case "cdi" ->
            same(masked(cdi()), id.equals("cp-boot") ? Facts.parse("{}") : masked(got.path("cdi")));
        case "mig" -> same(partitioned.orElseThrow().migState(), migState(got));
        case "smi" -> same(node.smiCalls(), smi(got));
        case "dir" ->
            same(
                Facts.texts(got.path("dir"))
                    .contains(mode(node.checkpoint()) + " " + PLUGIN + "/checkpoint.json"),
                true);
        default -> throw new AssertionError(id + ": unknown part " + part);
      }
    }
  }

  /// Better: nothing is left of a claim that is unprepared.
  private JsonNode checkpoint(JsonNode got) {
    JsonNode expected = Facts.parse(unbooted(got.path("checkpoint").toString()));
    if (id.equals("dyn-ci-fails") && done.startsWith("unprepare")) {
      ((ObjectNode) expected.path("v2")).remove("preparedClaims");
    }
    return expected;
  }

  /// Better: a compute instance that cannot be made leaves no GPU instance, and no MIG mode,
  /// behind; instances of others stay at a start.
  private List<String> migState(JsonNode got) {
    List<String> recorded = PartitionedNode.masked(Facts.texts(got.path("MIG state")));
    return id.equals("dyn-ci-fails")
        ? List.of()
        : Stream.concat(recorded.stream(), foreign.stream()).distinct().sorted().toList();
  }

  private void divide(List<String> layout) {
    List<String> own = partitioned.orElseThrow().migState();
    partitioned.orElseThrow().gpus().divide(String.join("\n", layout) + "\n");
    foreign =
        PartitionedNode.masked(layout).stream()
            .filter(line -> line.startsWith("mode") || !own.contains(line))
            .toList();
  }

  private void scheduled(JsonNode what, JsonNode got) {
    ObjectNode claim = Facts.MAPPER.createObjectNode().put("name", what.path("name").asText());
    claim.set("devices", got.path("results"));
    claim(claim);
  }

  /// Better: the claim of an administrator leaves the time slice of another claim alone, and a
  /// failed prepare leaves no GPU exclusive.
  private List<String> smi(JsonNode got) {
    List<String> recorded = Facts.texts(got.path("nvidia-smi calls"));
    return switch (id) {
      case "timeslice-admin" -> done.equals("unprepare [\"adm\"]") ? List.of() : recorded;
      case "mps-not-ready" ->
          recorded.stream()
              .flatMap(call -> Stream.of(call, call.replace("EXCLUSIVE_PROCESS", "DEFAULT")))
              .toList();
      default -> recorded;
    };
  }

  private ObjectNode cdi() throws IOException {
    ObjectNode found = Facts.MAPPER.createObjectNode();
    if (Files.notExists(node.cdi())) {
      return found;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(node.cdi())) {
      for (Path file : files) {
        ObjectNode one = found.putObject(file.getFileName().toString());
        one.put("fileMode", mode(file)).put("format", "yaml");
        one.setAll((ObjectNode) YAML.readTree(file.toFile()));
        if (one.path("containerEdits").equals(Facts.read("common-cdi-edits").path("gpu"))) {
          one.put("containerEdits", "common:gpu");
        }
      }
    }
    return found;
  }

  private static String mode(Path file) throws IOException {
    return "0o%o".formatted((int) Files.getAttribute(file, "unix:mode") & 0777);
  }

  private String unbooted(String text) {
    return text.replace(bootId, "<boot id>");
  }

  /// With the names of claims for their UIDs, and without checksums. Better: a prepared device has
  /// the id of its share.
  private JsonNode masked(JsonNode tree) {
    String text =
        tree.toString()
            .replace(node.plugin().toString(), PLUGIN)
            .replaceAll("\"checksum\":\\d+", "\"checksum\":\"<checksum>\"")
            .replaceAll(",\"ShareID\":\"[^\"]*\"", "");
    if (partitioned.isPresent()) {
      text = withoutIds(text);
    }
    for (Map.Entry<String, ClaimObject> claim : claims.entrySet()) {
      text = text.replace(claim.getValue().uid(), "<uid:" + claim.getKey() + ">");
    }
    return Facts.parse(text);
  }

  /// The driver chooses the ids of instances, and with them UUIDs and the minors of their files.
  private String withoutIds(String tree) {
    String text =
        tree.replaceAll("\"(parentUUID|migUUID)\":\"[^\"]*\"", "\"$1\":\"<of the machine>\"")
            .replaceAll("\"giId\":\\d+", "\"giId\":\"<id>\"")
            .replaceAll("nvidia-cap\\d+", "nvidia-cap<n>")
            .replaceAll("\"major\":234,\"minor\":\\d+", "\"major\":234,\"minor\":\"<n>\"");
    for (String uuid : partitioned.orElseThrow().uuids()) {
      text = text.replace(uuid, "<of the machine>");
    }
    return text.replaceAll("GPU-01000100-[0-9a-f-]{27}", "<of the machine>");
  }

  private void same(Object actual, Object expected) {
    assertThat(actual).as(id + " after " + done).isEqualTo(expected);
    compared += expected instanceof JsonNode tree ? Facts.leaves(tree) : 1;
  }
}
