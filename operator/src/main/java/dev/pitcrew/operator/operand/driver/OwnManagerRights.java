package dev.pitcrew.operator.operand.driver;

import static dev.pitcrew.operator.render.Identity.READ_CLUSTER_VERSION;
import static dev.pitcrew.operator.render.Identity.rule;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// What our driver manager does at the API server, each with the verb that it uses: it reads and
/// labels its Node, follows the operands there, and reads of a claim whether it holds a GPU. Pods
/// of other namespaces it learns of from the kubelet.
final class OwnManagerRights {
  private static final String EVICTIONS = "pods/eviction";

  private static final List<PolicyRule> CLUSTER_RULES =
      List.of(
          // The container beside it may be OpenShift's.
          READ_CLUSTER_VERSION,
          rule("", "nodes", "get", "patch"),
          rule("resource.k8s.io", "resourceclaims", "get"));

  private static final PolicyRule OPERANDS = rule("", "pods", "list", "watch");

  private OwnManagerRights() {}

  /// The same objects, with these rights in the roles of driver managers: no other role may evict.
  static List<HasMetadata> in(List<HasMetadata> resources) {
    Set<String> managers =
        resources.stream()
            .filter(it -> it instanceof ClusterRole role && mayEvict(role))
            .map(it -> it.getMetadata().getName())
            .collect(Collectors.toUnmodifiableSet());
    return resources.stream()
        .map(it -> managers.contains(it.getMetadata().getName()) ? withRights(it) : it)
        .toList();
  }

  private static boolean mayEvict(ClusterRole role) {
    return role.getRules().stream().anyMatch(it -> it.getResources().contains(EVICTIONS));
  }

  private static HasMetadata withRights(HasMetadata object) {
    return switch (object) {
      case ClusterRole role -> new ClusterRoleBuilder(role).withRules(CLUSTER_RULES).build();
      case Role role -> new RoleBuilder(role).addToRules(OPERANDS).build();
      default -> object;
    };
  }
}
