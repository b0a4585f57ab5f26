package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.testbed.node.ProbePod;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Test budget 240 s: the kubelet deletes the slices of a driver that is gone after 30 s, and five
// times GPUs move when it has updated its Node.
/// Pods with claims, from the scheduler to what their containers see, as recorded with NVIDIA's DRA
/// driver, a real kubelet and containerd. Where a case says what is better, that is expected.
/// Numbers of device files and of GPUs belong to the machine.
@WithGpuNode
class RecordedPodsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RESOURCES = "resource.k8s.io/v1";

  /// Of the facts: index of the profile, first slice.
  private static final Pattern INSTANCE = Pattern.compile("gi \\d+ \\d+ (\\d+) (\\d+) \\d+");

  /// Of names of devices: compute slices, id of the profile, first slice.
  private static final Pattern MIG_DEVICE = Pattern.compile("gpu-\\d+-mig-(\\d)g.*-(\\d+)");

  private final GpuNode node;
  private final AgentOnNode agent;
  private final ClaimsOnNode claims;
  private final Map<String, ProbePod> pods = new HashMap<>();
  private boolean hasXid;
  private int compared;

  RecordedPodsTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    claims = new ClaimsOnNode(node, "gpu.nvidia.com");
  }

  @AfterEach
  void close() {
    pods.values().forEach(ProbePod::close);
    claims.deleteAll();
    if (hasXid) {
      node.gpus().unloadDriver();
      node.gpus().loadDriver();
    }
    agent.label(ClaimsOnNode.SELECTED, "false");
    await().atMost(LIMIT).until(() -> claims.devices().isEmpty());
    agent.close();
    node.gpus().divide("mode 0 0 0\n");
  }

  /// @param values as many as the case has at least, so that no step is passed over
  @ParameterizedTest
  @CsvSource({
    "kubelet-gpu, 14",
    "kubelet-crash, 5",
    "kubelet-mig, 22",
    "sched-extended-resource, 9",
    "health-off, 13",
  })
  void podsRunAsRecorded(String id, int values) {
    JsonNode recorded = Facts.read(id);
    for (JsonNode step : recorded.path("steps")) {
      JsonNode action = step.path("do");
      if (action.isTextual()) {
        named(action.asText(), step.path("got"));
      } else {
        String verb = action.fieldNames().next();
        act(recorded, verb, action.path(verb), step.path("got"));
      }
    }
    System.out.printf("%s: %d values compared%n", id, compared);
    assertThat(compared).isGreaterThanOrEqualTo(values);
  }

  private void named(String what, JsonNode got) {
    switch (what) {
      case "stop (SIGTERM)" -> agent.kill();
      case "waiting for the slices to go" -> {
        await().atMost(LIMIT).until(() -> claims.slices().isEmpty());
        same(claims.slices().size(), got.path("left").asInt());
      }
      // Better: it has not ended.
      case "how the program ended" -> same(agent.isAlive(), true);
      default -> throw new AssertionError("unknown step " + what);
    }
  }

  private void act(JsonNode recorded, String verb, JsonNode what, JsonNode got) {
    switch (verb) {
      case "start" -> start(recorded.path("featureGates"));
      case "real pod" -> pod(recorded, what, got);
      case "pod and claim deleted" -> delete(what.asText());
      case "state on the node" -> state(what, got);
      case "NVML event" -> xid(what, got);
      case "created" -> claims.apply(what.toString());
      case "delete" -> deleteClass(what.asText());
      case "pod for the scheduler" -> extended(what, got);
      // The kubelet has done it for the pod, and does the other when the pod is gone.
      case "prepare" -> same(pods.get(what.path(0).asText()).isRunning(), true);
      case "unprepare" -> {
        delete(what.path(0).asText());
        await().atMost(LIMIT).until(() -> claims.all().isEmpty());
      }
      default -> throw new AssertionError("unknown step " + verb);
    }
  }

  private void start(JsonNode gates) {
    claims.deviceClass("gpu.nvidia.com", "gpu", "");
    claims.deviceClass("mig.nvidia.com", "mig", "");
    boolean divides = gates.path("DynamicMIG").asBoolean();
    if (divides) {
      node.gpus().divide("mode 0 1 1\n"); // The boards of this node are not switched by a driver.
    }
    ObjectNode said = JSON.createObjectNode();
    if (!gates.isMissingNode()) {
      said.setAll((ObjectNode) gates);
    }
    if (!gates.has("NVMLDeviceHealthCheck")) {
      said.put("NVMLDeviceHealthCheck", false); // The default of the recorded driver.
    }
    agent.serveClaims(said.toString());
    agent.label(ClaimsOnNode.SELECTED, "true");
    agent.begin("recorded-pods");
    await().atMost(LIMIT).until(() -> claims.devices().size() >= GpuNode.GPUS);
    await().atMost(LIMIT).until(() -> node.allocatable(GpuNode.GPU) <= 0);
  }

  private void pod(JsonNode recorded, JsonNode what, JsonNode got) {
    String name = what.path("name").asText();
    ObjectNode claim = JSON.createObjectNode();
    claim.put("apiVersion", RESOURCES).put("kind", "ResourceClaim");
    claim.putObject("metadata").put("name", name).put("namespace", "default");
    ObjectNode devices = claim.putObject("spec").putObject("devices");
    devices.set("requests", what.path("requests"));
    if (what.has("config")) {
      devices.set("config", what.path("config"));
    }
    claims.apply(claim.toString());
    ProbePod pod = claims.create(name);
    pods.put(name, pod);
    if (got.path("phase").asText().equals("Running")) {
      await().atMost(LIMIT).until(pod::isRunning);
      same(seen(pod), masked(got.path("container sees")));
      same(
          claims.events(pod).stream().filter(text -> text.startsWith("Failed")).toList(),
          List.of());
    } else {
      refused(recorded, what, pod, got.path("events").path(0).path(0).asText());
    }
  }

  /// The user reads the field, the value and what is allowed.
  private void refused(JsonNode recorded, JsonNode what, ProbePod pod, String reason) {
    JsonNode sharing = what.at("/config/0/opaque/parameters/sharing");
    List<String> words =
        recorded.has("better")
            ? List.of("timeSlicingConfig", "interval", "Default, Short, Medium, Long")
            : List.of("strategy", sharing.path("strategy").asText(), "TimeSlicing", "MPS");
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(claims.events(pod))
                .filteredOn(text -> text.startsWith(reason + ": "))
                .anySatisfy(text -> assertThat(text).contains(words)));
    same(pod.isRunning(), false);
    compared += words.size();
  }

  /// What the container has of NVIDIA's.
  private static List<String> seen(ProbePod pod) {
    return pod.words().stream()
        .filter(line -> line.startsWith("env NVIDIA_") || line.startsWith("device /dev/nvidia"))
        .map(line -> line.startsWith("device ") ? "dev " + line.split(" ", -1)[1] : line)
        .map(RecordedPodsTest::masked)
        .sorted()
        .toList();
  }

  private static List<String> masked(JsonNode recorded) {
    return texts(recorded)
        .filter(line -> !line.startsWith("lib "))
        .map(line -> line.startsWith("dev ") ? "dev " + line.split(" ", -1)[1] : line)
        .map(RecordedPodsTest::masked)
        .sorted()
        .toList();
  }

  private static String masked(String line) {
    return line.replaceAll("/dev/nvidia\\d+$", "/dev/nvidia<n>")
        .replaceAll("/nvidia-cap\\d+$", "/nvidia-cap<n>");
  }

  private void delete(String name) {
    Objects.requireNonNull(pods.remove(name)).close();
    if (claims.all().stream().anyMatch(claim -> name.equals(claim.getMetadata().getName()))) {
      claims.delete(name);
    }
  }

  /// Checkpoint and CDI files are compared where the recorded cases are replayed without a node.
  private void state(JsonNode parts, JsonNode got) {
    if (texts(parts).anyMatch("mig"::equals)) {
      List<String> expected =
          texts(got.path("MIG state"))
              .flatMap(line -> INSTANCE.matcher(line).results())
              .map(gi -> (gi.group(1).equals("0") ? "1" : "3") + "g at " + gi.group(2))
              .sorted()
              .toList();
      await().atMost(LIMIT).until(() -> node.gpus().migDevices().size() == expected.size());
      same(allocated(), expected);
      compared++;
    }
  }

  private List<String> allocated() {
    return claims.all().stream()
        .flatMap(claim -> claim.getStatus().getAllocation().getDevices().getResults().stream())
        .flatMap(result -> MIG_DEVICE.matcher(result.getDevice()).results())
        .map(device -> device.group(1) + "g at " + device.group(2))
        .sorted()
        .toList();
  }

  /// The GPUNode shows the Xid, and the slices do not.
  private void xid(JsonNode event, JsonNode got) {
    JsonNode before = JSON.valueToTree(claims.slices());
    hasXid = true;
    int gpu = event.path("gpu").asInt();
    node.gpus().xid(gpu, event.path("xid").asInt());
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(agent.document()).contains("Xid " + event.path("xid").asInt()));
    same(JSON.<JsonNode>valueToTree(claims.slices()), before);
    JsonNode device = before.at("/0/spec/devices/0");
    JsonNode recorded = got.at("/0/spec/devices/0");
    same(device.path("taints").size(), recorded.path("taints").size());
    List<String> names = new ArrayList<>();
    device.path("attributes").fieldNames().forEachRemaining(names::add);
    recorded
        .path("attributes")
        .fieldNames()
        .forEachRemaining(name -> {
          assertThat(names).contains(name);
          compared++;
        });
  }

  private void deleteClass(String path) {
    node.client()
        .genericKubernetesResources(RESOURCES, "DeviceClass")
        .withName(path.substring(path.lastIndexOf('/') + 1))
        .delete();
  }

  /// A pod that knows nothing of claims. The recorded node has one GPU, this one has more.
  private void extended(JsonNode what, JsonNode got) {
    boolean isScheduled = got.path("scheduled").asBoolean();
    int count = isScheduled ? what.at("/resources/nvidia.com~1gpu").asInt() : GpuNode.GPUS;
    ProbePod pod = ProbePod.create(node.client(), node.pod(count));
    pods.put(what.path("name").asText(), pod);
    if (!isScheduled) {
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(claims.events(pod))
                  .anyMatch(
                      text -> text.equals("FailedScheduling: " + got.path("message").asText())));
      compared++;
      delete(what.path("name").asText());
      return;
    }
    await().atMost(LIMIT).until(pod::isRunning);
    JsonNode claim = claim();
    same(
        claim.at("/metadata/generateName").asText().replace(pod.name(), what.path("name").asText()),
        got.path("generate").asText());
    got.path("claim annotations")
        .properties()
        .forEach(it -> same(claim.at("/metadata/annotations").path(it.getKey()), it.getValue()));
    same(claim.path("spec"), got.path("claim spec"));
    JsonNode result = claim.at("/status/allocation/devices/results/0");
    JsonNode expected = got.at("/results/0");
    same(result.path("request"), expected.path("request"));
    same(result.path("driver"), expected.path("driver"));
    same(result.path("pool").asText(), node.node().name());
    assertThat(result.path("device").asText()).matches("gpu-\\d");
    JsonNode status = JSON.valueToTree(pod.current().getStatus());
    JsonNode mapping = status.at("/extendedResourceClaimStatus/requestMappings/0");
    JsonNode recorded = got.at("/request mappings/0");
    same(mapping.path("resourceName"), recorded.path("resourceName"));
    same(mapping.path("requestName"), recorded.path("requestName"));
  }

  private JsonNode claim() {
    List<GenericKubernetesResource> all =
        node.client()
            .genericKubernetesResources(RESOURCES, "ResourceClaim")
            .inNamespace("default")
            .list()
            .getItems();
    assertThat(all).hasSize(1);
    return JSON.valueToTree(all.getFirst());
  }

  private static Stream<String> texts(JsonNode array) {
    return array.valueStream().map(JsonNode::asText);
  }

  private void same(Object actual, Object expected) {
    assertThat(actual).isEqualTo(expected);
    compared += expected instanceof List<?> all ? Math.max(1, all.size()) : 1;
  }
}
