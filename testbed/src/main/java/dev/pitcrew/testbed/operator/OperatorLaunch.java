package dev.pitcrew.testbed.operator;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// What an operator process gets as its pod would get it.
///
/// @param environment all its variables: it inherits none
/// @param arguments the subcommand and its flags, without those on the API server and on addresses
public record OperatorLaunch(SortedMap<String, String> environment, List<String> arguments) {
  /// The images that the chart of the release names that our facts are from.
  public static final Map<String, String> IMAGES =
      Map.of(
          "VALIDATOR_IMAGE", "nvcr.io/nvidia/gpu-operator:v26.7.0",
          "DRIVER_MANAGER_IMAGE", "nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.12.0");

  public OperatorLaunch {
    environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    arguments = List.copyOf(arguments);
  }

  /// A pod with the variables that the chart gives it, without leader election.
  public static OperatorLaunch inPod(String namespace, String podName) {
    return new OperatorLaunch(new TreeMap<>(IMAGES), List.of("operator"))
        .withVariable("OPERATOR_NAMESPACE", namespace)
        .withVariable("POD_NAME", podName);
  }

  public OperatorLaunch withVariable(String name, String value) {
    var more = new TreeMap<>(environment);
    more.put(name, value);
    return new OperatorLaunch(more, arguments);
  }

  public OperatorLaunch withArgument(String argument) {
    return new OperatorLaunch(
        environment, Stream.concat(arguments.stream(), Stream.of(argument)).toList());
  }

  /// The words of the command that starts the process, which answers at `addresses`.
  ///
  /// @param kubeconfig of the API server and the account to use there
  public List<String> commandLine(
      OperatorProgram program, Path kubeconfig, OperatorAddresses addresses) {
    var more = Stream.concat(arguments.stream(), addresses.arguments().stream()).toList();
    return new OperatorLaunch(environment, more).commandLine(program, kubeconfig);
  }

  /// The same for a subcommand that serves no requests.
  public List<String> commandLine(OperatorProgram program, Path kubeconfig) {
    var words = new ArrayList<>(List.of("/usr/bin/env", "-i"));
    environment.forEach((name, value) -> words.add(name + "=" + value));
    var credentials = PodCredentials.of(kubeconfig);
    credentials.forEach((name, value) -> words.add(name + "=" + value));
    var all = new ArrayList<>(arguments);
    if (credentials.isEmpty()) {
      all.add("--kubeconfig=" + kubeconfig.toAbsolutePath());
    }
    words.addAll(program.commandLine(all));
    return List.copyOf(words);
  }
}
