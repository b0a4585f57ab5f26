package dev.pitcrew.operator.render;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The service account that an operand runs under and what it may do: five objects of one name.
///
/// @param labels labels of the service account, the role and the role binding
/// @param role rules inside the operator's namespace
/// @param clusterRole rules in the whole cluster; none means no ClusterRole at all
public record Identity(
    String name, Map<String, String> labels, List<PolicyRule> role, List<PolicyRule> clusterRole) {

  /// What every operand needs on OpenShift, where pods are admitted by a security context
  /// constraint.
  public static final PolicyRule USE_PRIVILEGED_CONSTRAINT =
      new PolicyRuleBuilder()
          .withApiGroups("security.openshift.io")
          .withResources("securitycontextconstraints")
          .withResourceNames("privileged")
          .withVerbs("use")
          .build();

  public static final PolicyRule READ_NODES = rule("", "nodes", "get", "list", "watch");
  public static final PolicyRule READ_CLUSTER_VERSION =
      rule("config.openshift.io", "clusterversions", "get", "list");

  public static Identity named(String name) {
    return new Identity(name, Map.of(), List.of(USE_PRIVILEGED_CONSTRAINT), List.of());
  }

  /// An account that a role gives all its rights.
  public static Identity withoutRights(String name, Map<String, String> labels) {
    return new Identity(name, labels, List.of(), List.of());
  }

  public static PolicyRule rule(String group, String resource, String... verbs) {
    return new PolicyRuleBuilder()
        .withApiGroups(group)
        .withResources(resource)
        .withVerbs(verbs)
        .build();
  }

  public Identity labelled(Map<String, String> newLabels) {
    return new Identity(name, newLabels, role, clusterRole);
  }

  /// Further rules in the namespace.
  public Identity may(PolicyRule... rules) {
    var more = new ArrayList<>(role);
    more.addAll(List.of(rules));
    return new Identity(name, labels, List.copyOf(more), clusterRole);
  }

  /// Rules in the whole cluster.
  public Identity mayInCluster(PolicyRule... rules) {
    return new Identity(name, labels, role, List.of(rules));
  }

  public List<HasMetadata> objects(String namespace) {
    var objects = new ArrayList<HasMetadata>(inNamespace(namespace));
    if (!clusterRole.isEmpty()) {
      objects.addAll(clusterWide(name, Map.of(), clusterRole, namespace));
    }
    return List.copyOf(objects);
  }

  private List<HasMetadata> inNamespace(String namespace) {
    var objects = new ArrayList<HasMetadata>(List.of(account(namespace)));
    objects.addAll(withinNamespace(name, labels, role, namespace));
    return objects;
  }

  /// The service account alone.
  public ServiceAccount account(String namespace) {
    return new ServiceAccountBuilder().withMetadata(metadata(name, labels, namespace)).build();
  }

  /// A Role of any name, bound to this service account.
  public List<HasMetadata> withinNamespace(
      String roleName, Map<String, String> roleLabels, List<PolicyRule> rules, String namespace) {
    ObjectMeta metadata = metadata(roleName, roleLabels, namespace);
    return List.of(
        new RoleBuilder().withMetadata(metadata).withRules(rules).build(),
        new RoleBindingBuilder()
            .withMetadata(metadata)
            .withNewRoleRef("rbac.authorization.k8s.io", "Role", roleName)
            .addNewSubject("", "ServiceAccount", name, namespace)
            .build());
  }

  private static ObjectMeta metadata(String name, Map<String, String> labels, String namespace) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace(namespace)
        .withLabels(labels)
        .build();
  }

  /// A ClusterRole of any name, bound to this service account.
  public List<HasMetadata> clusterWide(
      String roleName, Map<String, String> roleLabels, List<PolicyRule> rules, String namespace) {
    ObjectMeta metadata = new ObjectMetaBuilder().withName(roleName).withLabels(roleLabels).build();
    return List.of(
        new ClusterRoleBuilder().withMetadata(metadata).withRules(rules).build(),
        new ClusterRoleBindingBuilder()
            .withMetadata(metadata)
            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", roleName)
            .addNewSubject("", "ServiceAccount", name, namespace)
            .build());
  }
}
