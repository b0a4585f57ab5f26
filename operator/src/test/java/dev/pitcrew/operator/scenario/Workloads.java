package dev.pitcrew.operator.scenario;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The DaemonSets of the operator's namespace and their pods.
record Workloads(KubernetesClient client) {
  /// What a DaemonSet keeps as long as it is neither changed nor recreated.
  record Version(String uid, long generation) {
    static Version of(DaemonSet daemonSet) {
      var metadata = daemonSet.getMetadata();
      return new Version(metadata.getUid(), metadata.getGeneration());
    }
  }

  Resource<DaemonSet> daemonSet(String name) {
    return client.apps().daemonSets().inNamespace(Scene.NAMESPACE).withName(name);
  }

  /// The environment of a DaemonSet's first container.
  List<EnvVar> environmentOf(String name) {
    var template = daemonSet(name).get().getSpec().getTemplate();
    return template.getSpec().getContainers().getFirst().getEnv();
  }

  Version version(String name) {
    return Version.of(daemonSet(name).require());
  }

  /// The DaemonSets by name.
  Map<String, Version> versions() {
    var daemonSets = client.apps().daemonSets().inNamespace(Scene.NAMESPACE).list().getItems();
    return daemonSets.stream()
        .collect(
            Collectors.toMap(
                daemonSet -> daemonSet.getMetadata().getName(),
                Version::of,
                (one, _) -> one,
                TreeMap::new));
  }

  /// The uids of what owns the DaemonSets.
  List<String> owners() {
    var daemonSets = client.apps().daemonSets().inNamespace(Scene.NAMESPACE).list().getItems();
    return daemonSets.stream()
        .flatMap(daemonSet -> daemonSet.getMetadata().getOwnerReferences().stream())
        .map(OwnerReference::getUid)
        .toList();
  }

  /// The uids of all pods.
  List<String> pods() {
    var pods = client.pods().inNamespace(Scene.NAMESPACE).list().getItems();
    return pods.stream().map(Pod::getMetadata).map(pod -> pod.getUid()).sorted().toList();
  }

  /// The names of all revisions of pod templates, which end in the template's hash.
  List<String> revisions() {
    var revisions =
        client.apps().controllerRevisions().inNamespace(Scene.NAMESPACE).list().getItems();
    return revisions.stream()
        .map(ControllerRevision::getMetadata)
        .map(revision -> revision.getName())
        .sorted()
        .toList();
  }
}
