package dev.pitcrew.operator.command;

import java.util.Map;
import java.util.Optional;

/// What the Deployment configures in the environment of its process.
record Environment(Map<String, String> variables) {

  /// Where the operator and its operands live.
  Optional<String> operatorNamespace() {
    return value("OPERATOR_NAMESPACE");
  }

  /// The pod's name; its host name is the same unless the pod says otherwise.
  Optional<String> podName() {
    return value("POD_NAME").or(() -> value("HOSTNAME"));
  }

  /// `DEBUG` as Go's command line library reads it.
  boolean debug() {
    return value("DEBUG").map(Boolean::parseBoolean).orElse(false);
  }

  private Optional<String> value(String name) {
    return Optional.ofNullable(variables.get(name)).filter(value -> !value.isEmpty());
  }
}
