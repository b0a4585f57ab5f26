package dev.pitcrew.architecture.documentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.RolloutPhase;
import dev.pitcrew.architecture.documentation.HealthScript.Health;
import dev.pitcrew.kube.condition.Conditions;
import dev.pitcrew.operator.driver.DriverVerdict;
import dev.pitcrew.operator.gpucluster.GpuClusterVerdict;
import dev.pitcrew.operator.policy.PolicyVerdict;
import dev.pitcrew.operator.policy.Verdict;
import io.fabric8.kubernetes.api.model.Condition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// The health checks for Argo CD, and the expressions for Flux, over the statuses that operator and
/// agents write.
class HealthScriptsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final String POLICY = "nvidia.com_ClusterPolicy";
  private static final String NODE = "pitcrew.dev_GPUNode";
  private static final String FLEET = "pitcrew.dev_FleetPolicy";
  private static final String DOMAIN = "resource.nvidia.com_ComputeDomain";
  private static final long GENERATION = 7;

  static Stream<String> scripts() {
    return HealthScript.data().properties().stream()
        .map(entry -> entry.getKey().replaceFirst("^resource\\.customizations\\.health\\.", ""));
  }

  @Test
  void eachKindThatPeopleWaitForHasOne() {
    assertThat(scripts())
        .containsExactlyInAnyOrder(
            POLICY, "nvidia.com_NVIDIADriver", "nvidia.com_GPUCluster", FLEET, NODE, DOMAIN);
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void anObjectWithoutAStatusIsProgressing(String kind) throws IOException {
    JsonNode fresh = YAML.readTree("{metadata: {generation: 1}, spec: {numNodes: 2}}");

    assertThat(HealthScript.of(kind).of(fresh).status()).isEqualTo("Progressing");
  }

  /// What the NVIDIA GPU Operator has left in each recorded scenario, and Pitcrew leaves too.
  @Test
  void recordedStatuses() throws IOException {
    var seen = new TreeMap<String, TreeSet<String>>();
    for (Path golden : goldenFiles()) {
      JSON.readTree(golden.toFile())
          .properties()
          .forEach(object -> {
            String kind = object.getKey().replaceFirst("/.*", "");
            if (List.of("ClusterPolicy", "NVIDIADriver", "GPUCluster").contains(kind)) {
              JsonNode recorded = recorded(object.getValue());
              seen.computeIfAbsent(summary(recorded), _ -> new TreeSet<>())
                  .add(HealthScript.of("nvidia.com_" + kind).of(recorded).status());
            }
          });
    }

    assertThat(seen)
        .containsOnly(
            entry("Reconciled ready", new TreeSet<>(List.of("Healthy"))),
            entry("NoGPUNodes ready", new TreeSet<>(List.of("Healthy"))),
            entry("NFDLabelsMissing ready", new TreeSet<>(List.of("Healthy"))),
            entry("ReconcileFailed notReady", new TreeSet<>(List.of("Degraded"))),
            entry("ConflictingNodeSelector notReady", new TreeSet<>(List.of("Degraded"))),
            entry(" <none>", new TreeSet<>(List.of("Progressing"))));
  }

  private static List<Path> goldenFiles() throws IOException {
    try (var files = Files.walk(MarkdownPage.REPOSITORY.resolve("parity/scenarios"))) {
      return files.filter(it -> it.getFileName().toString().startsWith("golden")).toList();
    }
  }

  /// Golden files have conditions by type.
  private static JsonNode recorded(JsonNode golden) {
    var conditions = JSON.createArrayNode();
    golden
        .path("conditions")
        .properties()
        .forEach(
            it -> conditions.addObject().put("type", it.getKey()).setAll(fields(it.getValue())));
    var object = JSON.createObjectNode();
    object.putObject("metadata").put("generation", GENERATION);
    var status = object.putObject("status").put("state", golden.path("state").asText());
    if (!conditions.isEmpty()) {
      status.set("conditions", conditions);
    }
    return object;
  }

  private static ObjectNode fields(JsonNode condition) {
    return (ObjectNode) condition;
  }

  private static String summary(JsonNode object) {
    String reason = "";
    for (JsonNode condition : object.at("/status/conditions")) {
      reason =
          condition.path("status").asText().equals("True")
              ? condition.path("reason").asText()
              : reason;
    }
    return reason + " " + object.at("/status/state").asText();
  }

  static Stream<Verdict> verdicts() {
    var labels = new TreeMap<>(Map.of("gpu-1", ""));
    var ready = new PolicyVerdict(Verdict.READY, "Reconciled", "all is there");
    return Stream.of(
        ready,
        new PolicyVerdict(Verdict.READY, "NoGPUNodes", "no GPU node"),
        ready.afterLabelling(labels),
        ready.withReports(Set.of("status.mig")),
        PolicyVerdict.failed("spec.mig.strategy is \"mixd\""),
        PolicyVerdict.ignored("first"),
        DriverVerdict.disabled(),
        DriverVerdict.waiting("a pod"),
        DriverVerdict.failed("refused"),
        GpuClusterVerdict.besidePolicy("cluster-policy"),
        GpuClusterVerdict.withoutClaims(),
        GpuClusterVerdict.unlisted(List.of("DaemonSet")));
  }

  private static String expected(Verdict verdict) {
    return switch (verdict.state()) {
      case Verdict.READY -> "Healthy";
      case "disabled" -> "Suspended";
      default -> verdict.isProgress() ? "Progressing" : "Degraded";
    };
  }

  @ParameterizedTest
  @MethodSource("verdicts")
  void whatTheOperatorWrites(Verdict verdict) {
    JsonNode object = object(verdict.state(), verdict.conditions(GENERATION));

    assertThat(HealthScript.of(POLICY).of(object))
        .isEqualTo(new Health(expected(verdict), verdict.message()));
    assertThat(
            HealthScript.of(POLICY).of(object(verdict.state(), verdict.conditions(GENERATION - 1))))
        .isEqualTo(new Health("Progressing", "The operator has not seen the last change yet"));
  }

  @ParameterizedTest
  @MethodSource("verdicts")
  void fluxSeesTheSame(Verdict verdict) {
    for (long observed : new long[] {GENERATION, GENERATION - 1}) {
      JsonNode object = object(verdict.state(), verdict.conditions(observed));
      String argo = HealthScript.of(POLICY).of(object).status();

      assertThat(FluxExpressions.of("ClusterPolicy").health(object))
          .isEqualTo(argo.equals("Suspended") ? "Progressing" : argo);
    }
  }

  @Test
  void otherConditionsThatAreTrueAreAddedToTheMessage() {
    List<Condition> conditions =
        new ArrayList<>(
            new PolicyVerdict(Verdict.READY, "Reconciled", "ready").conditions(GENERATION));
    conditions.add(Conditions.of("FieldContested", "True", "FieldContested", "by helm", 1));
    conditions.add(Conditions.of("HostDriverRefused", "False", "None", "", 1));

    assertThat(HealthScript.of(POLICY).of(object("ready", conditions)))
        .isEqualTo(new Health("Healthy", "ready; by helm"));
  }

  @ParameterizedTest
  @CsvSource({
    "True, Reconciled, Healthy",
    "True, NoGPUNodes, Healthy",
    "False, OperandNotReady, Progressing",
    "False, ReconcileFailed, Degraded",
  })
  void fleetPolicy(String status, String reason, String health) {
    JsonNode object =
        object("", List.of(Conditions.of("Ready", status, reason, "text", GENERATION)));
    assertThat(HealthScript.of(FLEET).of(object)).isEqualTo(new Health(health, "text"));
    assertThat(FluxExpressions.of("FleetPolicy").health(object)).isEqualTo(health);

    JsonNode before =
        object("", List.of(Conditions.of("Ready", status, reason, "text", GENERATION - 1)));
    assertThat(HealthScript.of(FLEET).of(before).status()).isEqualTo("Progressing");
    assertThat(FluxExpressions.of("FleetPolicy").health(before)).isEqualTo("Progressing");
  }

  @ParameterizedTest
  @CsvSource({
    "True, Ready, Ready, Healthy",
    "Unknown, NotYetKnown, Ready, Progressing",
    "False, GpuUnhealthy, Ready, Degraded",
    "False, DriverNotReady, Absent, Degraded",
    "False, DriverNotReady, Loading, Progressing",
    "False, Paused, Paused, Suspended",
    "False, WaitingForPods, Ready, Progressing",
    "False, LayoutImpossible, Ready, Degraded",
  })
  void gpuNode(String status, String reason, String driver, String health) throws IOException {
    assertThat(HealthScript.of(NODE).of(node(status, reason, driver, Optional.empty())))
        .isEqualTo(new Health(health, "text"));
  }

  @ParameterizedTest
  @EnumSource(RolloutPhase.class)
  void gpuNodeInARollOut(RolloutPhase phase) throws IOException {
    String expected =
        switch (phase) {
          case IDLE, PENDING, DONE -> "Healthy";
          case CORDON, WAIT_FOR_JOBS, DELETE_PODS, DRAIN, RESTART_DRIVER, VALIDATE, UNCORDON ->
              "Progressing";
          case FAILED -> "Degraded";
        };
    String name = ApiJson.tree(phase).asText();

    assertThat(HealthScript.of(NODE).of(node("True", "Ready", "Ready", Optional.of(name))).status())
        .isEqualTo(expected);
  }

  private static JsonNode node(
      String status, String reason, String driver, Optional<String> rollout) throws IOException {
    return YAML.readTree(
        """
        metadata: {name: gpu-1, generation: 1}
        status:
          driver: {phase: %s}
          conditions:
            - {type: DriverReady, status: "True", reason: DriverReady, message: other}
            - {type: Ready, status: "%s", reason: %s, message: text}
          %s
        """
            .formatted(
                driver, status, reason, rollout.map("rollout: {phase: %s}"::formatted).orElse("")));
  }

  @ParameterizedTest
  @CsvSource({"Ready, Healthy", "NotReady, Progressing"})
  void computeDomain(String status, String health) throws IOException {
    JsonNode domain =
        YAML.readTree(
            "{spec: {numNodes: 2}, status: {status: %s, nodes: [{name: a, status: Ready}, {name: b, status: NotReady}]}}"
                .formatted(status));

    assertThat(HealthScript.of(DOMAIN).of(domain))
        .isEqualTo(new Health(health, "1 nodes are ready, 2 are needed at least"));
    assertThat(FluxExpressions.of("ComputeDomain").health(domain)).isEqualTo(health);
  }

  private static JsonNode object(String state, List<Condition> conditions) {
    var object = JSON.createObjectNode();
    object.putObject("metadata").put("generation", GENERATION);
    var status = object.putObject("status").put("state", state);
    status.set("conditions", JSON.valueToTree(conditions));
    return object;
  }
}
