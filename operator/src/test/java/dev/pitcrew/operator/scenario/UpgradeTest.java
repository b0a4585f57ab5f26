package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;

/// The fixture of all tests of driver upgrades: one operator, a fleet of simulated nodes, and those
/// who take part in an upgrade beside the operator. A test ends with the driver of its choice on
/// all nodes, which is that with which the next test begins.
abstract class UpgradeTest implements SharedOperator {
  static final String FIRST = UpgradeFleet.name(1);
  static final String SECOND = UpgradeFleet.name(2);
  static final String THIRD = UpgradeFleet.name(3);

  ControlPlane controlPlane;
  KubernetesClient client;
  Scene scene;
  UpgradeFleet fleet;
  Training training;
  FleetPolicies policies;
  NodeReports reports;
  Kubelets kubelets;
  private Optional<JsonNode> rollout = Optional.empty();
  private JsonNode spec = MissingNode.getInstance();

  /// @param kwok runs the pods of the simulated nodes, and knows which images there are; it lives
  ///   as long as the tests of the class
  @BeforeAll
  void set(ControlPlane controlPlane, SimulatedNodes kwok)
      throws IOException, InterruptedException {
    this.controlPlane = controlPlane;
    client = controlPlane.client();
    training = new Training(client);
    policies = new FleetPolicies(client);
    reports = new NodeReports(client);
    kubelets = new Kubelets(client);
    scene = Scene.set(controlPlane);
    fleet = new UpgradeFleet(client);
    enterAndRemember();
  }

  private void enterAndRemember() throws IOException, InterruptedException {
    enter();
    rollout = policies.spec();
    spec = scene.policy().spec();
  }

  /// Brings a cluster without nodes to where each test begins.
  abstract void enter() throws IOException, InterruptedException;

  @Override
  public void renew() throws IOException, InterruptedException {
    scene = Scene.set(controlPlane);
    fleet = new UpgradeFleet(client);
    enterAndRemember();
  }

  @Override
  public void begin() {
    fleet.begin();
  }

  @Override
  public void restore() throws IOException, InterruptedException {
    kubelets.close();
    reports.close();
    training.close();
    policies.restore(rollout);
    NvidiaDriver.deleteAll(client);
    if (!scene.hasOperator()) {
      scene.start(Launch.PLAIN);
    }
    scene.policy().restore(specWith(restoredVersion()));
    fleet.restore();
    awaitRestored();
    fleet.assertClean();
  }

  /// Waits until all nodes are as they were when the class began, but for the version.
  void awaitRestored() {
    fleet.awaitDriver(restoredVersion());
  }

  /// The driver that a test leaves.
  String restoredVersion() {
    return scene.policy().spec().at("/driver/version").asText();
  }

  /// The specification of the class with another version.
  private JsonNode specWith(String version) {
    ObjectNode restored = spec.deepCopy();
    restored.withObject("/driver").put("version", version);
    return restored;
  }

  @Override
  public void leave() {
    try (var _ = scene;
        var _ = fleet;
        var _ = policies;
        var _ = training;
        var _ = reports;
        var _ = kubelets) {
      // The last is closed first, and whatever one of them throws, the operators are ended.
    }
  }

  /// So many nodes, to which an operator has brought a driver.
  void install(int nodes) throws IOException, InterruptedException {
    fleet.grow(nodes);
    scene.serve("default-one-gpu-node");
    fleet.awaitDone();
  }

  /// Replaces a driver that does not come up, on all nodes at once.
  void replaceDriver(String version) {
    policies.spec().ifPresent(_ -> policies.edit("{\"rollout\": null}"));
    scene
        .policy()
        .edit(
            """
            {"driver": {"version": "%s",
              "upgradePolicy": {"maxParallelUpgrades": 0, "maxUnavailable": "100%%"}}}
            """
                .formatted(version));
    fleet.awaitDriver(version);
    assertThat(fleet.states()).isNotEmpty();
  }
}
