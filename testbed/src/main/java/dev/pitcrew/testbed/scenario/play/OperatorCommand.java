package dev.pitcrew.testbed.scenario.play;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// How to start the operator under test for each scenario.
///
/// @param shell a shell command that runs until it is stopped; blank where an operator is running
///   already
/// @param ready an address that answers 200 once the operator works, where it has one
public record OperatorCommand(String shell, Optional<URI> ready) {

  /// The images that the chart of the release the facts are from gives its operator.
  public static final Map<String, String> IMAGES =
      Map.of(
          "VALIDATOR_IMAGE", "nvcr.io/nvidia/gpu-operator:v26.7.0",
          "DRIVER_MANAGER_IMAGE", "nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.12.0");

  Optional<OperatorProcess> start(Scenario scenario, Kubectl kubectl, Path log)
      throws IOException, InterruptedException {
    if (shell.isBlank()) {
      return Optional.empty();
    }
    var operator = OperatorProcess.start(shell, environment(scenario, kubectl), log);
    if (ready.isPresent()) {
      awaitReady(operator, ready.get());
    }
    return Optional.of(operator);
  }

  private static void awaitReady(OperatorProcess operator, URI address)
      throws InterruptedException {
    var isReady = false;
    try {
      operator.awaitReady(address);
      isReady = true;
    } finally {
      if (!isReady) {
        operator.close();
      }
    }
  }

  private static Map<String, String> environment(Scenario scenario, Kubectl kubectl) {
    var environment = new HashMap<>(IMAGES);
    environment.put("KUBECONFIG", kubectl.kubeconfig().toAbsolutePath().toString());
    environment.put("OPERATOR_NAMESPACE", kubectl.namespace());
    environment.put("SCENARIO", scenario.folder().toAbsolutePath().toString());
    return environment;
  }
}
