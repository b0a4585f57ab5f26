package dev.pitcrew.operator.scenario;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// A part of the life of a policy, with what its user does then and what the operator writes.
enum Phase {
  INSTALL(
      """
      update Namespace
      create ClusterRole, create ConfigMap, create Role, create RuntimeClass, create Service, \
      create ServiceAccount, create ServiceMonitor
      create ClusterRoleBinding, create RoleBinding
      create DaemonSet
      update ClusterPolicy/status, update Node
      create Event
      """) {
    @Override
    void act(Scene scene) throws IOException {
      scene
          .client()
          .namespaces()
          .withName(Scene.NAMESPACE)
          .edit(namespace -> {
            namespace.getMetadata().setLabels(Map.of());
            return namespace;
          });
      scene.policy().create(Scene.scenario(SCENARIO), Map.of("psa", Map.of("enabled", true)));
    }
  },
  /// Another driver version, and an operand less.
  EDIT(
      """
      update DaemonSet
      delete DaemonSet, delete Role, delete RoleBinding, delete Service, delete ServiceAccount, \
      delete ServiceMonitor, update Node
      delete Pod, update ClusterPolicy/status
      create Event
      """) {
    @Override
    void act(Scene scene) {
      scene.policy().edit(spec("999.1.1", false));
    }
  },
  RESTORE(
      """
      create Role, create Service, create ServiceAccount, create ServiceMonitor
      create RoleBinding
      create DaemonSet, update DaemonSet
      update Node
      delete Pod
      update ClusterPolicy/status
      """) {
    @Override
    void act(Scene scene) {
      scene.policy().edit(spec("999.1.2", true));
    }
  },
  DELETE("update Node") {
    @Override
    void act(Scene scene) {
      scene.policy().delete();
    }

    // The garbage collector of a cluster learns of a new kind, such as ServiceMonitor, up to 30 s
    // late (kube-controller-manager, the resync of its monitors).
    @Override
    void awaitEnd(Scene scene) {
      await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(500))
          .until(() ->
              scene.stage().facts().findValuesAsText("controlledBy").isEmpty()
                  && scene.client().nodes().list().getItems().stream()
                      .flatMap(node -> node.getMetadata().getLabels().keySet().stream())
                      .noneMatch(label -> label.startsWith("nvidia.com/gpu.deploy.")));
    }
  };

  /// Has objects of every kind that the operator makes.
  static final String SCENARIO = "monitoring";

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final String table;

  /// @param table a wave a line
  Phase(String table) {
    this.table = table;
  }

  /// Every sort of write that the operator makes in this phase, as a
  /// [dev.pitcrew.testbed.trouble.WriteGate] names it. The sorts of one wave do not wait for each
  /// other, those of the next one do. Every second write is lost when an operator is killed once a
  /// wave: statuses are among these, since an operator that finds its status written emits no
  /// Event.
  List<List<String>> waves() {
    return table.lines().map(line -> List.of(line.split(", ", -1))).toList();
  }

  List<String> sorts() {
    return waves().stream().flatMap(List::stream).toList();
  }

  abstract void act(Scene scene) throws IOException;

  /// Waits until the operator has seen what the user did and has answered it.
  void awaitEnd(Scene scene) {
    scene.policy().awaitReady();
  }

  private static String spec(String driver, boolean isExporterEnabled) {
    return "{\"driver\":{\"version\":\"%s\"},\"dcgmExporter\":{\"enabled\":%s}}"
        .formatted(driver, isExporterEnabled);
  }
}
