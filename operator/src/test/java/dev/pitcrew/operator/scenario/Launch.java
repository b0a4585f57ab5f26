package dev.pitcrew.operator.scenario;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How one operator process is started.
///
/// @param killAfter the write that it does not survive, as `PITCREW_KILL_AFTER` spells it
record Launch(String podName, List<String> flags, Optional<String> killAfter) {
  static final Launch PLAIN = new Launch("operator-1", List.of(), Optional.empty());

  static Launch killedAfter(String point) {
    return new Launch("operator-1", List.of(), Optional.of(point));
  }

  /// One of several replicas.
  static Launch replica(String podName) {
    return new Launch(podName, List.of("--leader-elect"), Optional.empty());
  }

  Map<String, String> environment(String namespace) {
    var fixed = Map.of("OPERATOR_NAMESPACE", namespace, "POD_NAME", podName);
    var environment = new HashMap<>(fixed);
    killAfter.ifPresent(point -> environment.put("PITCREW_KILL_AFTER", point));
    return environment;
  }

  /// The command that runs the operator from the class path of the tests, so that no package is
  /// needed.
  String shell(Path kubeconfig, String healthAddress) {
    var java = Path.of(System.getProperty("java.home"), "bin", "java");
    return """
    export CLASSPATH='%s'
    exec '%s' -XX:+UseSerialGC -Xms16m -Xmx128m -XX:TieredStopAtLevel=1 \
      dev.pitcrew.operator.runtime.Main operator --kubeconfig='%s' \
      --metrics-bind-address=0 --health-probe-bind-address=%s %s
    """
        .formatted(
            System.getProperty("java.class.path"),
            java,
            kubeconfig,
            healthAddress,
            String.join(" ", flags));
  }
}
