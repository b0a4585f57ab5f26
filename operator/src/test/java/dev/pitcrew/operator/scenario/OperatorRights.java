package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/// The service account of the operator with the rights that the chart gives it, so that a missing
/// one shows.
final class OperatorRights {
  private static final Chart CHART = Chart.withBuiltImage(Path.of("..", "charts", "pitcrew"));
  private static final String ACCOUNT = "gpu-operator";
  private static final Set<String> KINDS =
      Set.of("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding");

  private static final class Rendered {
    static final String MANIFESTS = manifests(Values.DEFAULTS);
  }

  private OperatorRights() {}

  /// A kubeconfig of the operator's service account.
  static Path grant(ControlPlane controlPlane) {
    objects(controlPlane.client())
        .forEach(
            object -> controlPlane.client().resource(object).forceConflicts().serverSideApply());
    return controlPlane.kubeconfigFor(Scene.NAMESPACE, ACCOUNT);
  }

  /// A kubeconfig of another user with the same rights.
  static Path grantTo(String user, ControlPlane controlPlane) {
    var subject = new Subject("rbac.authorization.k8s.io", "User", user, null);
    for (var object : objects(controlPlane.client())) {
      switch (object) {
        case RoleBinding binding -> binding.setSubjects(List.of(subject));
        case ClusterRoleBinding binding -> binding.setSubjects(List.of(subject));
        default -> {
          continue; // accounts and roles are there
        }
      }
      object.getMetadata().setName(object.getMetadata().getName() + "-" + user);
      controlPlane.client().resource(object).create();
    }
    return controlPlane.kubeconfigForUser(user);
  }

  private static List<HasMetadata> objects(KubernetesClient client) {
    return ofChart(KINDS, client);
  }

  /// What the chart installs by default, of these kinds.
  static List<HasMetadata> ofChart(Set<String> kinds, KubernetesClient client) {
    return objects(Rendered.MANIFESTS, kinds, client);
  }

  /// What it installs with other values.
  static List<HasMetadata> ofChart(Values values, Set<String> kinds, KubernetesClient client) {
    return values.equals(Values.DEFAULTS)
        ? ofChart(kinds, client)
        : objects(manifests(values), kinds, client);
  }

  private static String manifests(Values values) {
    return CHART.template(new ReleaseName(Scene.NAMESPACE, ACCOUNT), values);
  }

  private static List<HasMetadata> objects(
      String manifests, Set<String> kinds, KubernetesClient client) {
    var yaml = new ByteArrayInputStream(manifests.getBytes(StandardCharsets.UTF_8));
    return client.load(yaml).items().stream()
        .filter(object -> kinds.contains(object.getKind()))
        .toList();
  }
}
