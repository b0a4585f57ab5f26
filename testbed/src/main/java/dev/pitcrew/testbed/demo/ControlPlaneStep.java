package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import dev.pitcrew.testbed.demo.Screen.Fact;
import dev.pitcrew.testbed.node.NodeNetwork;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Optional;

/// Starts Kubernetes; the one who plays the step closes it.
///
/// @param hasRealNodes whether nodes that are not simulated have to reach it
record ControlPlaneStep(Screen screen, Binaries binaries, boolean hasRealNodes)
    implements Step<ControlPlaneStep.Grounds> {
  /// @param network of real nodes; it goes with the control plane
  record Grounds(ControlPlane controlPlane, Optional<NodeNetwork> network) {}

  @Override
  public String title() {
    return "A real control plane starts";
  }

  @Override
  public Grounds play(Checks checks) {
    binaries.resolveAll(Binary.forNodes(hasRealNodes));
    try (var _ = screen.waiting(() -> "starting etcd, API server, controllers, scheduler")) {
      var grounds = start(WorkDirectory.temporary());
      show(grounds.controlPlane(), checks);
      return grounds;
    }
  }

  private Grounds start(WorkDirectory directory) {
    try {
      var network =
          hasRealNodes ? Optional.of(NodeNetwork.open(directory)) : Optional.<NodeNetwork>empty();
      var options = ControlPlaneOptions.defaults();
      var reachable = network.map(it -> options.withAddress(it.address())).orElse(options);
      return new Grounds(ControlPlane.start(directory, binaries, reachable), network);
    } catch (RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  private void show(ControlPlane controlPlane, Checks checks) {
    var client = controlPlane.client();
    var version = client.getKubernetesVersion().getGitVersion();
    var readiness = readiness(client);
    var good = readiness.stream().filter(line -> line.startsWith("[+]")).count();
    screen.facts(
        List.of(
            new Fact("API server", controlPlane.apiServerAddress()),
            new Fact("version", "Kubernetes " + version),
            new Fact("/readyz", "%d of %d checks ok".formatted(good, readiness.size()))));
    checks.equal(
        "the API server is of the pinned version",
        "v" + Binary.KUBE_APISERVER.version(),
        version,
        "Another version is first in $KUBEBUILDER_ASSETS or $PATH.");
    checks.equal(
        "the API server's own checks",
        readiness.size() + " ok",
        good + " ok",
        "GET /readyz?verbose names the one that fails.");
  }

  private static List<String> readiness(KubernetesClient client) {
    return client.raw("/readyz?verbose").lines().filter(line -> line.startsWith("[")).toList();
  }
}
