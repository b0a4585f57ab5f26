package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.scenario.compare.Difference;
import dev.pitcrew.testbed.scenario.compare.FactComparison;
import dev.pitcrew.testbed.scenario.compare.IgnoreFile;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;

/// The fixture of scenario tests that share one operator: the facts at which a class begins are
/// those to which the cluster comes back after each test.
abstract class SharedSceneTest implements SharedOperator {
  private static final Duration RESTORED = Duration.ofSeconds(90);

  ControlPlane controlPlane;
  KubernetesClient client;
  Scene scene;
  FleetPolicies fleet;
  private Optional<JsonNode> fleetSpec = Optional.empty();
  private JsonNode spec = MissingNode.getInstance();
  private ObjectNode facts;

  @BeforeAll
  void set(ControlPlane controlPlane) throws IOException, InterruptedException {
    this.controlPlane = controlPlane;
    client = controlPlane.client();
    fleet = new FleetPolicies(client);
    scene = Scene.set(controlPlane);
    facts = enterAndRest();
  }

  /// Brings an empty cluster to where each test begins: an operator runs.
  abstract void enter() throws IOException, InterruptedException;

  private ObjectNode enterAndRest() throws IOException, InterruptedException {
    enter();
    var rest = scene.settle();
    fleetSpec = fleet.spec();
    spec = scene.policy().isThere() ? scene.policy().spec() : MissingNode.getInstance();
    return rest;
  }

  @Override
  public void renew() throws IOException, InterruptedException {
    scene = Scene.set(controlPlane);
    facts = enterAndRest();
  }

  /// Undoes what a test did beside the policies, as its user would.
  void undo() throws IOException, InterruptedException {}

  @Override
  public void restore() throws IOException, InterruptedException {
    if (!scene.hasOperator()) {
      scene.start(Launch.PLAIN);
    }
    restorePolicy();
    fleet.restore(fleetSpec);
    undo();
    collectPods();
    await("what a test left is gone")
        .atMost(RESTORED)
        .pollInterval(Duration.ofMillis(250))
        .untilAsserted(() ->
            assertThat(differences())
                .as("with: %s", scene.policy().messageOf("Error"))
                .allMatch(this::isLasting));
  }

  /// Deletes the pods of nodes that have gone, as the pod garbage collector does a minute later.
  /// Only then the DaemonSet controller counts its nodes again.
  private void collectPods() {
    var nodes =
        client.nodes().list().getItems().stream()
            .map(node -> node.getMetadata().getName())
            .collect(Collectors.toSet());
    client.pods().inNamespace(Scene.NAMESPACE).list().getItems().stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .filter(pod -> !nodes.contains(pod.getSpec().getNodeName()))
        .forEach(pod -> client.resource(pod).withGracePeriod(0).delete());
  }

  private List<Difference> differences() {
    return new FactComparison("", IgnoreFile.none())
        .compare(facts, scene.stage().facts())
        .differences();
  }

  /// Whether something that a test brings stays for good, and is to.
  boolean isLasting(Difference difference) {
    return false;
  }

  private void restorePolicy() throws IOException {
    if (spec.isMissingNode()) {
      scene.policy().delete();
      return;
    }
    if (!scene.policy().isThere()) {
      scene.policy().create(Scene.scenario("default-one-gpu-node"));
    }
    scene.policy().restore(spec);
  }

  /// Has the operands of the reference back, which a FleetPolicy that is deleted does not.
  void leaveAgentMode() {
    if (scene.workloads().versions().containsKey("pitcrew-agent")) {
      fleet.createWithoutAgent();
      await("the agent has gone")
          .atMost(RESTORED)
          .until(() -> !scene.workloads().versions().containsKey("pitcrew-agent"));
      fleet.delete();
    }
  }

  @Override
  public void leave() {
    try (var _ = scene) {
      fleet.delete();
    }
  }
}
