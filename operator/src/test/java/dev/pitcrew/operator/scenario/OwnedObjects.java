package dev.pitcrew.operator.scenario;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.stream.Stream;

/// The objects of built-in kinds that a ClusterPolicy owns.
record OwnedObjects(KubernetesClient client) {
  List<HasMetadata> of(Policy policy) {
    var uid = policy.uid();
    return all().filter(object -> isOwnedBy(uid, object)).toList();
  }

  private Stream<HasMetadata> all() {
    var namespace = Scene.NAMESPACE;
    return Stream.of(
            client.serviceAccounts().inNamespace(namespace).list().getItems(),
            client.configMaps().inNamespace(namespace).list().getItems(),
            client.services().inNamespace(namespace).list().getItems(),
            client.rbac().roles().inNamespace(namespace).list().getItems(),
            client.rbac().roleBindings().inNamespace(namespace).list().getItems(),
            client.rbac().clusterRoles().list().getItems(),
            client.rbac().clusterRoleBindings().list().getItems(),
            client.resources(RuntimeClass.class).list().getItems(),
            client.apps().daemonSets().inNamespace(namespace).list().getItems())
        .flatMap(List::stream);
  }

  private static boolean isOwnedBy(String uid, HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> owner.getUid().equals(uid));
  }
}
