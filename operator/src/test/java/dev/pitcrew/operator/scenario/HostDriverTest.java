package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.nodes.ReportingAgents;
import dev.pitcrew.testbed.scenario.compare.Difference;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A node whose agent finds a driver of the host gets no driver container, and one when that driver
/// has gone; users have the last word.
class HostDriverTest extends SharedSceneTest {
  private static final String NODE = "gpu-1";
  private static final String DEPLOY = "nvidia.com/gpu.deploy.driver";
  private static final String OWNER = "pitcrew.dev/owner.driver";
  private static final String WANTED = "595.91.07";
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private AgentReports agent;

  @Override
  void enter() throws IOException, InterruptedException {
    scene.stage().enter(Scene.scenario("default-one-gpu-node"));
    scene.serve("default-one-gpu-node");
    fleet.create();
    // The agent has taken the reference's operands over before the tests begin.
    try (var _ = new ReportingAgents(client)) {
      await()
          .atMost(LIMIT)
          .until(() -> !scene.workloads().versions().containsKey("nvidia-device-plugin-daemonset"));
    }
    scene.settle();
    new AgentReports(client, NODE).delete();
  }

  @BeforeEach
  void report() throws InterruptedException {
    agent = new AgentReports(client, NODE).create();
    scene.settle();
  }

  /// The condition is there from its first refusal on.
  @Override
  boolean isLasting(Difference difference) {
    return difference.path().contains("| conditions | HostDriverRefused |")
        && Set.of("\"NoneRefused\"", "\"False\"").contains(difference.actual());
  }

  @Override
  void undo() {
    agent.delete();
    for (String label : List.of(DEPLOY, OWNER, "kubernetes.io/hostname")) {
      set(label, "null", "kubectl-label");
    }
    client.events().v1().events().inNamespace("default").delete();
  }

  @Test
  void aDriverOfTheHostIsAdoptedUntilItGoes() throws IOException, InterruptedException {
    assertThat(label(DEPLOY)).isEqualTo("true");
    agent.driver("{\"owner\": \"Host\", \"phase\": \"Absent\"}");
    scene.settle();
    assertThat(label(DEPLOY)).as("files alone are no driver").isEqualTo("true");

    found("Host", WANTED);
    awaitLabel("pre-installed");
    await("no driver pod is due").atMost(LIMIT).until(() -> due() == 0);
    assertThat(agent.status().has("driverRefusal")).isFalse();

    await("the FleetPolicy, which is written every five seconds, reports it")
        .atMost(LIMIT)
        .until(() -> fleet.desired("state-driver") == 0);
    scene.settle();
    var quiet = Instant.now();
    for (String passing : List.of("Paused", "Absent")) {
      agent.driver("{\"owner\": \"Host\", \"phase\": \"%s\"}".formatted(passing));
      scene.settle();
    }
    assertThat(callsSince(quiet)).isEmpty();
    scene.stopOperators();
    scene.start(Launch.PLAIN);
    scene.settle();
    assertThat(label(DEPLOY)).as("the last word counts").isEqualTo("pre-installed");
    assertThat(scene.writes().since(quiet)).doesNotContainKeys("patch:Node", "status:GPUNode");

    agent.driver("{\"phase\": \"Absent\"}");
    awaitLabel("true");
    await("a driver pod is due").atMost(LIMIT).until(() -> due() == 1);

    agent.driver("{\"owner\": \"Container\", \"phase\": \"Ready\", \"version\": \"550.1\"}");
    scene.settle();
    assertThat(label(DEPLOY)).isEqualTo("true");
    assertThat(scene.policy().messageOf("HostDriverRefused")).isEmpty();
  }

  @Test
  void driverThatDiffersFromTheWantedOne_isReportedWithTheRemedy() throws InterruptedException {
    found("Image", "570.12");
    awaitLabel("pre-installed");

    String words =
        "node gpu-1 has driver 570.12 of its image; ClusterPolicy wants 595.91.07 in a container";
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          assertThat(agent.status().at("/driverRefusal/message").asText())
              .contains(words, "label the Node pitcrew.dev/owner.driver=host to accept it");
          assertThat(scene.policy().messageOf("HostDriverRefused")).contains(words);
          assertThat(scene.policy().notes("Warning")).anyMatch(it -> it.contains(words));
          assertThat(events("GPUNode")).anyMatch(it -> it.contains(words));
        });
    scene.policy().awaitState("ready", LIMIT);

    set(OWNER, "\"host\"", "kubectl-label");
    awaitSent("");
    assertThat(label(DEPLOY)).isEqualTo("pre-installed");

    set(OWNER, "null", "kubectl-label");
    awaitSent("DriverVersionDiffers");

    scene.policy().edit("{\"driver\": {\"version\": \"570.12\"}}");
    awaitSent("");
    assertThat(label(DEPLOY)).isEqualTo("pre-installed");

    set(OWNER, "\"pitcrew\"", "kubectl-label");
    awaitLabel("true");
  }

  @Test
  void labelOfAUser_stays_andADetectedOneDoesNot() throws InterruptedException {
    set(DEPLOY, "\"pre-installed\"", "kubectl-label");
    agent.driver("{\"phase\": \"Absent\"}");
    scene.settle();
    assertThat(label(DEPLOY)).isEqualTo("pre-installed");
    found("Host", "570.12");
    scene.settle();
    assertThat(agent.status().has("driverRefusal")).as("the user has accepted it").isFalse();

    set(DEPLOY, "\"false\"", "kubectl-label");
    scene.settle();
    assertThat(label(DEPLOY)).isEqualTo("false");

    set(DEPLOY, "\"pre-installed\"", "driver-manager");
    awaitSent("DriverVersionDiffers");
    agent.driver("{\"phase\": \"Absent\"}");
    awaitLabel("true");
    awaitSent("");
  }

  @Test
  void eachNvidiaDriver_reportsItsOwnNodes() {
    var training = new NvidiaDriver(scene.client(), "training");
    scene.policy().edit("{\"driver\": {\"useNvidiaDriverCRD\": true}}");
    training.create(",\"nodeSelector\":{\"kubernetes.io/hostname\":\"gpu-1\"}");
    try {
      set("kubernetes.io/hostname", "\"gpu-1\"", "kubelet");
      found("Host", "570.12");

      awaitLabel("pre-installed");
      training.awaitCondition(
          "HostDriverRefused", "DriverVersionDiffers", "NVIDIADriver training wants 595.91.07");
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(scene.policy().messageOf("HostDriverRefused")).isEmpty());
    } finally {
      training.delete();
    }
  }

  /// The operator's requests to the API server, but for its watches and its lease.
  private List<String> callsSince(Instant begin) {
    return scene.controlPlane().auditLog().requestsOf(OperatorWrites.USER).stream()
        .filter(request -> !request.received().isBefore(begin))
        .filter(request -> !request.verb().equals("watch") && !request.resource().equals("leases"))
        // Its summary counts the drivers that are ready.
        .filter(request -> !request.resource().equals("pitcrew.dev/fleetpolicies/status"))
        .map(request -> request.verb() + " " + request.resource())
        .toList();
  }

  private void found(String owner, String version) {
    agent.driver(
        "{\"owner\": \"%s\", \"phase\": \"Ready\", \"version\": \"%s\"}".formatted(owner, version));
  }

  private void set(String label, String value, String manager) {
    scene
        .client()
        .nodes()
        .withName(NODE)
        .patch(
            new PatchContext.Builder()
                .withPatchType(PatchType.JSON_MERGE)
                .withFieldManager(manager)
                .build(),
            "{\"metadata\": {\"labels\": {\"%s\": %s}}}".formatted(label, value));
  }

  private String label(String key) {
    var live = scene.client().nodes().withName(NODE).require();
    return Objects.requireNonNullElse(live.getMetadata().getLabels().get(key), "");
  }

  private void awaitLabel(String value) {
    await(DEPLOY + " is " + value)
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(label(DEPLOY)).isEqualTo(value));
  }

  /// Waits until the GPUNode gives this reason, and the ClusterPolicy says so or does not.
  private void awaitSent(String reason) {
    await("refused: " + reason)
        .atMost(LIMIT)
        .untilAsserted(() -> {
          assertThat(agent.status().at("/driverRefusal/reason").asText()).isEqualTo(reason);
          assertThat(scene.policy().messageOf("HostDriverRefused").isEmpty())
              .isEqualTo(reason.isEmpty());
        });
  }

  private int due() {
    return scene
        .client()
        .apps()
        .daemonSets()
        .inNamespace(Scene.NAMESPACE)
        .withLabel("app", "nvidia-driver-daemonset")
        .list()
        .getItems()
        .stream()
        .map(DaemonSet::getStatus)
        .mapToInt(status -> status.getDesiredNumberScheduled())
        .sum();
  }

  private List<String> events(String kind) {
    return scene.client().events().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> event.getRegarding().getKind().equals(kind))
        .map(Event::getNote)
        .toList();
  }
}
