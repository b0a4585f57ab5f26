package dev.pitcrew.testbed.scenario.play;

import dev.pitcrew.testbed.operator.OperatorAddresses;
import dev.pitcrew.testbed.operator.OperatorLaunch;
import dev.pitcrew.testbed.operator.OperatorProgram;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How to start the operator under test.
///
/// @param words the command that runs until it is stopped; none where an operator is running
///   already
/// @param ready an address that answers 200 once the operator works, where it has one
/// @param isKept whether one operator serves all scenarios, which does not get their folders
public record OperatorCommand(List<String> words, Optional<URI> ready, boolean isKept) {
  public OperatorCommand {
    words = List.copyOf(words);
  }

  /// A command of the shell for each scenario; blank where an operator is running already.
  public static OperatorCommand ofShell(String command, Optional<URI> ready) {
    return new OperatorCommand(
        command.isBlank() ? List.of() : List.of("sh", "-c", command), ready, false);
  }

  /// The operator as its pod would run it. To start one costs as much processor time as to play a
  /// scenario.
  public static OperatorCommand of(
      OperatorLaunch launch, OperatorProgram program, Path kubeconfig) {
    var addresses = OperatorAddresses.free();
    return new OperatorCommand(
        launch.commandLine(program, kubeconfig, addresses),
        Optional.of(addresses.readiness()),
        true);
  }

  Optional<OperatorProcess> start(Scenario scenario, Kubectl kubectl, Path log)
      throws IOException, InterruptedException {
    if (words.isEmpty()) {
      return Optional.empty();
    }
    var operator = OperatorProcess.start(words, environment(scenario, kubectl), log);
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
    var environment = new HashMap<>(OperatorLaunch.IMAGES);
    environment.put("KUBECONFIG", kubectl.kubeconfig().toAbsolutePath().toString());
    environment.put("OPERATOR_NAMESPACE", kubectl.namespace());
    environment.put("SCENARIO", scenario.folder().toAbsolutePath().toString());
    return environment;
  }
}
