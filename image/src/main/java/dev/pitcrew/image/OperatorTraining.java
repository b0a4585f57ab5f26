package dev.pitcrew.image;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The operator on a real control plane with the chart's objects: it rolls out, a node joins, it
/// ends.
record OperatorTraining(Path chart) implements AotCaches.Training {
  static final String NAME = "gpu-operator";
  private static final Values AGENT =
      new Values(
          """
          fleetPolicy:
            agent:
              enabled: true
              functions: [labels, devicePlugin, cdi, runtime, mps, validation, nodeStatus, mig, metrics, health]
          """);
  private static final String DEPLOYED = "nvidia.com/gpu.present";

  @Override
  public String program() {
    return "operator";
  }

  @Override
  public List<String> others() {
    return List.of("rollout", "manage-crds", "cleanup");
  }

  @Override
  public void run(ControlPlane cluster, Container container, Path folder) {
    var client = cluster.client();
    client.nodes().resource(NodeTemplate.gpu("gpu").node(1)).create();
    Chart.withBuiltImage(chart)
        .install(cluster.kubeconfigFile(), new Chart.ReleaseName(NAME, NAME), AGENT);
    copy(cluster.kubeconfigFor(NAME, NAME), folder.resolve("kubeconfig"));
    try (var run =
        TrainingRun.start(variables(container, folder), arguments(), folder.resolve("log"))) {
      run.await(
          "the word to the agents",
          () -> client.configMaps().inNamespace(NAME).withName("pitcrew-agent").get() != null);
      run.await(
          "the roll-out",
          () -> client.apps().daemonSets().inNamespace(NAME).list().getItems().size() > 1);
      client.nodes().resource(NodeTemplate.gpu("gpu").node(2)).create();
      run.await(
          "the label of a node that joins",
          () ->
              client
                  .nodes()
                  .withName("gpu-2")
                  .get()
                  .getMetadata()
                  .getLabels()
                  .containsKey(DEPLOYED));
      run.end();
    }
  }

  private static Container variables(Container container, Path folder) {
    return container
        .withMount("/run/training", folder)
        .withVariable("OPERATOR_NAMESPACE", NAME)
        .withVariable("POD_NAME", "training")
        .withVariable("VALIDATOR_IMAGE", "training/validator:1")
        .withVariable("DRIVER_MANAGER_IMAGE", "training/driver-manager:1")
        .withVariable("PITCREW_IMAGE", "training/pitcrew:1");
  }

  private static List<String> arguments() {
    return List.of(
        "train",
        "operator",
        "--leader-elect",
        "--kubeconfig=/run/training/kubeconfig",
        "--metrics-bind-address=127.0.0.1:0",
        "--health-probe-bind-address=127.0.0.1:0");
  }

  private static void copy(Path source, Path target) {
    try {
      Files.copy(source, target);
    } catch (IOException e) {
      throw new UncheckedIOException("copy " + source, e);
    }
  }
}
