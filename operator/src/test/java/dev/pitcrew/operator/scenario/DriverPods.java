package dev.pitcrew.operator.scenario;

import dev.pitcrew.operator.driver.Adoption;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The pods of drivers and their DaemonSets, whichever resource they come from.
record DriverPods(KubernetesClient client) {
  static final Map<String, String> DRIVER = Map.of("app.kubernetes.io/component", "nvidia-driver");

  /// Those that have a node.
  List<Pod> all() {
    return client.pods().inNamespace(Scene.NAMESPACE).withLabels(DRIVER).list().getItems().stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .toList();
  }

  List<DaemonSet> daemonSets() {
    return client
        .apps()
        .daemonSets()
        .inNamespace(Scene.NAMESPACE)
        .withLabels(DRIVER)
        .list()
        .getItems();
  }

  List<String> daemonSetNames() {
    return daemonSets().stream().map(it -> it.getMetadata().getName()).sorted().toList();
  }

  /// UID of the pod by the name of its node: another UID is another pod, and a driver that was
  /// unloaded.
  SortedMap<String, String> uids() {
    return all().stream()
        .collect(
            Collectors.toMap(
                pod -> pod.getSpec().getNodeName(),
                pod -> pod.getMetadata().getUid(),
                (one, other) -> one + " and " + other,
                TreeMap::new));
  }

  /// Names of the DaemonSets that own the pods, by node; empty for pods without an owner.
  SortedMap<String, String> owners() {
    return all().stream()
        .collect(
            Collectors.toMap(
                pod -> pod.getSpec().getNodeName(),
                pod -> owner(pod.getMetadata()),
                (one, other) -> one + " and " + other,
                TreeMap::new));
  }

  /// Digests of what DaemonSets would install, by node of the pods that they own.
  SortedMap<String, String> digests() {
    var digests = new TreeMap<String, String>();
    for (Pod pod : all()) {
      digests.put(pod.getSpec().getNodeName(), Adoption.effectiveDigest(pod).orElse(""));
    }
    return digests;
  }

  /// The digest of a DaemonSet's pods to come.
  String digestOf(DaemonSet daemonSet) {
    return Adoption.digestOf(daemonSet.getSpec().getTemplate().getSpec()).orElse("");
  }

  private static String owner(ObjectMeta metadata) {
    return metadata.getOwnerReferences().stream()
        .map(reference -> reference.getName())
        .collect(Collectors.joining());
  }
}
