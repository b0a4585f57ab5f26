package dev.pitcrew.operator.operand.driver;

import static dev.pitcrew.operator.render.Identity.READ_CLUSTER_VERSION;
import static dev.pitcrew.operator.render.Identity.rule;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.util.List;

/// What our driver manager does at the API server, each with the verb that it uses: it reads and
/// labels its Node, follows the pods there, and asks of a claim whether it is of a GPU.
final class OwnManagerRights {
  private static final String EVICTIONS = "pods/eviction";

  private static final List<PolicyRule> RULES =
      List.of(
          // The container beside it may be OpenShift's.
          READ_CLUSTER_VERSION,
          rule("", "nodes", "get", "patch"),
          rule("", "pods", "list", "watch"),
          rule("resource.k8s.io", "resourceclaims", "get"));

  private OwnManagerRights() {}

  /// The same role, if it is that of a driver manager: no other may evict.
  static ClusterRole in(ClusterRole role) {
    return role.getRules().stream().anyMatch(it -> it.getResources().contains(EVICTIONS))
        ? new ClusterRoleBuilder(role).withRules(RULES).build()
        : role;
  }
}
