package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/// The fixture of all tests of driver upgrades: a scene with a fleet that has no nodes yet, and
/// those who have a word in an upgrade beside the operator.
@WithControlPlane
abstract class UpgradeTest {
  static final String FIRST = UpgradeFleet.name(1);
  static final String SECOND = UpgradeFleet.name(2);
  static final String THIRD = UpgradeFleet.name(3);

  KubernetesClient client;
  Scene scene;
  UpgradeFleet fleet;
  FleetPolicies policies;
  NodeReports reports;
  Kubelets kubelets;

  /// @param kwok runs the pods of the simulated nodes, and knows which images there are; asked for
  ///   here and not before each test, it lives as long as the tests of the class
  @BeforeAll
  static void simulate(SimulatedNodes kwok) {}

  @BeforeEach
  void set(ControlPlane controlPlane) throws IOException, InterruptedException {
    client = controlPlane.client();
    scene = Scene.set(controlPlane);
    fleet = new UpgradeFleet(client);
    policies = new FleetPolicies(client);
    reports = new NodeReports(client);
    kubelets = new Kubelets(client);
  }

  @AfterEach
  void clear() {
    try (var _ = scene;
        var _ = fleet;
        var _ = policies;
        var _ = reports;
        var _ = kubelets) {
      // The last is closed first, and whatever one of them throws, the operators are ended.
    }
  }

  /// So many nodes, to which an operator has brought a driver.
  void install(int nodes) throws IOException, InterruptedException {
    fleet.grow(nodes);
    scene.install("default-one-gpu-node");
    fleet.awaitDone();
  }
}
