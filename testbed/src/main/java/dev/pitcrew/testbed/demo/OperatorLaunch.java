package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.demo.DemoOptions.OperatorProgram;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// The command line of the operator as a process that gets what its pod would get: the container's
/// arguments and environment, and no other variable.
record OperatorLaunch(OperatorProgram program, Path kubeconfig, Ports ports) {
  private static final String MAIN = "dev.pitcrew.operator.runtime.Main";

  /// As the image sets them: a small heap, and compilation that is quick rather than thorough.
  private static final List<String> JVM_FLAGS =
      List.of(
          "-XX:+UseSerialGC",
          "-Xms16m",
          "-Xmx128m",
          "-XX:+UseCompactObjectHeaders",
          "-XX:TieredStopAtLevel=1");

  /// @throws TestbedException if the pod has a variable that only a kubelet can fill in
  List<String> commandLine(Pod pod) {
    var container = pod.getSpec().getContainers().getFirst();
    var words = new ArrayList<>(List.of("/usr/bin/env", "-i"));
    container.getEnv().forEach(variable -> words.add(assignment(variable, pod)));
    words.add(program.java().toString());
    words.addAll(JVM_FLAGS);
    words.addAll(List.of("-cp", absolute(program.classpath()), MAIN));
    words.addAll(arguments(container));
    return List.copyOf(words);
  }

  private List<String> arguments(Container container) {
    var words = new ArrayList<>(container.getArgs());
    words.add("--kubeconfig=" + kubeconfig);
    words.add("--metrics-bind-address=127.0.0.1:" + ports.metrics());
    words.add("--health-probe-bind-address=127.0.0.1:" + ports.health());
    return words;
  }

  private static String assignment(EnvVar variable, Pod pod) {
    return variable.getName() + "=" + value(variable, pod);
  }

  private static String value(EnvVar variable, Pod pod) {
    if (variable.getValueFrom() == null) {
      return variable.getValue() == null ? "" : variable.getValue();
    }
    var field = variable.getValueFrom().getFieldRef();
    return switch (field == null ? "" : field.getFieldPath()) {
      case "metadata.name" -> pod.getMetadata().getName();
      case "metadata.namespace" -> pod.getMetadata().getNamespace();
      default ->
          throw new TestbedException(
              "the demo cannot fill in the operator's variable %s; give it a plain value"
                  .formatted(variable.getName()));
    };
  }

  /// The process runs in another folder.
  private static String absolute(String classpath) {
    return Arrays.stream(classpath.split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /// Where the process answers, on loopback.
  record Ports(int metrics, int health) {}
}
