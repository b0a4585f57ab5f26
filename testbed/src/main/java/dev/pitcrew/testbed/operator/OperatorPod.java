package dev.pitcrew.testbed.operator;

import dev.pitcrew.testbed.TestbedException;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.TreeMap;

/// What a kubelet reads in a pod of the operator.
public final class OperatorPod {
  private OperatorPod() {}

  /// The arguments and variables of the pod's container.
  ///
  /// @throws TestbedException if the pod has a variable that only a kubelet can fill in
  public static OperatorLaunch launch(Pod pod) {
    var container = pod.getSpec().getContainers().getFirst();
    var environment = new TreeMap<String, String>();
    container
        .getEnv()
        .forEach(variable -> environment.put(variable.getName(), value(variable, pod)));
    return new OperatorLaunch(environment, container.getArgs());
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
              "the test bed cannot fill in the operator's variable %s; give it a plain value"
                  .formatted(variable.getName()));
    };
  }
}
