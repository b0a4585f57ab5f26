package dev.pitcrew.agent.cluster;

import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributesBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A service account with a few rights, and the folder that a pod of it would have.
public record TestAccount(ControlPlane plane, String namespace, Path folder) {
  private static final String NAME = "agent";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// An account that may do what an agent does to nodes, ConfigMaps, pods, Events and
  /// ResourceSlices, and nothing else.
  public static TestAccount create(ControlPlane plane, String namespace, Path folder) {
    return create(
        plane,
        namespace,
        folder,
        List.of(
            rule("", "nodes", "nodes/status", "configmaps", "pods"),
            rule("apps", "daemonsets"),
            rule("events.k8s.io", "events"),
            rule("pitcrew.dev", "gpunodes", "gpunodes/status"),
            rule(List.of("get", "list"), "resource.k8s.io", "resourceclaims"),
            rule(
                List.of("get", "list", "watch"),
                "resource.nvidia.com",
                "computedomains",
                "computedomaincliques"),
            rule(
                List.of("get", "list", "watch", "create", "update", "delete"),
                "resource.k8s.io",
                "resourceslices")),
        List.of());
  }

  /// An account that may do what a driver manager does, and nothing else: the operator gives its
  /// pods these rights.
  public static TestAccount ofDriverManager(ControlPlane plane, String namespace, Path folder) {
    return create(
        plane,
        namespace,
        folder,
        List.of(
            rule(List.of("get", "patch"), "", "nodes"),
            rule(List.of("get"), "resource.k8s.io", "resourceclaims")),
        List.of(rule(List.of("list", "watch"), "", "pods")));
  }

  /// An account that may do what a DRA driver does to its slices, and nothing else.
  public static TestAccount ofSlicePublisher(ControlPlane plane, String namespace, Path folder) {
    return create(
        plane,
        namespace,
        folder,
        List.of(
            rule(List.of("get", "patch"), "", "nodes"),
            rule(
                List.of("list", "watch", "create", "update", "delete"),
                "resource.k8s.io",
                "resourceslices")),
        List.of());
  }

  private static TestAccount create(
      ControlPlane plane,
      String namespace,
      Path folder,
      List<PolicyRule> rules,
      List<PolicyRule> inNamespace) {
    var account =
        new ServiceAccountBuilder()
            .withNewMetadata()
            .withName(NAME)
            .withNamespace(namespace)
            .endMetadata()
            .build();
    plane.client().resource(account).serverSideApply();
    allow(plane, namespace, rules);
    allowInNamespace(plane, namespace, inNamespace);
    var test = new TestAccount(plane, namespace, folder);
    test.awaitRights(true);
    write(folder.resolve("ca.crt"), plane.certificateAuthority().certificatePem());
    test.writeToken(test.newToken());
    return test;
  }

  public Credentials at(URI server) {
    return Credentials.of(server, folder);
  }

  public Credentials atServer() {
    return at(URI.create(plane.apiServerAddress()));
  }

  public String user() {
    return "system:serviceaccount:%s:%s".formatted(namespace, NAME);
  }

  /// Takes all rights away, as the end of the roles and bindings does.
  public void revokeRights() {
    plane.client().rbac().clusterRoleBindings().withName("agent-" + namespace).delete();
    awaitRights(false);
  }

  public void writeToken(String token) {
    write(folder.resolve("token"), token);
  }

  String newToken() {
    return plane
        .client()
        .serviceAccounts()
        .inNamespace(namespace)
        .withName(NAME)
        .tokenRequest(new TokenRequestBuilder().withNewSpec().endSpec().build())
        .getStatus()
        .getToken();
  }

  /// The API server follows roles and bindings by watches of its own.
  private void awaitRights(boolean wanted) {
    var attributes =
        new ResourceAttributesBuilder().withVerb("patch").withResource("nodes").build();
    var review =
        new SubjectAccessReviewBuilder()
            .withNewSpec()
            .withUser(user())
            .withResourceAttributes(attributes)
            .endSpec()
            .build();
    await("the rights of " + user())
        .atMost(LIMIT)
        .until(() ->
            wanted
                == plane
                    .client()
                    .authorization()
                    .v1()
                    .subjectAccessReview()
                    .create(review)
                    .getStatus()
                    .getAllowed());
  }

  private static void allow(ControlPlane plane, String namespace, List<PolicyRule> rules) {
    var role =
        new ClusterRoleBuilder()
            .withNewMetadata()
            .withName("agent-" + namespace)
            .endMetadata()
            .withRules(rules)
            .build();
    var binding =
        new ClusterRoleBindingBuilder()
            .withNewMetadata()
            .withName("agent-" + namespace)
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "agent-" + namespace)
            .addNewSubject("", "ServiceAccount", NAME, namespace)
            .build();
    plane.client().resource(role).serverSideApply();
    plane.client().resource(binding).serverSideApply();
  }

  private static void allowInNamespace(
      ControlPlane plane, String namespace, List<PolicyRule> rules) {
    var metadata = new ObjectMetaBuilder().withName(NAME).withNamespace(namespace).build();
    plane
        .client()
        .resource(new RoleBuilder().withMetadata(metadata).withRules(rules).build())
        .serverSideApply();
    plane
        .client()
        .resource(
            new RoleBindingBuilder()
                .withMetadata(metadata)
                .withNewRoleRef("rbac.authorization.k8s.io", "Role", NAME)
                .addNewSubject("", "ServiceAccount", NAME, namespace)
                .build())
        .serverSideApply();
  }

  private static PolicyRule rule(String group, String... resources) {
    return rule(List.of("get", "list", "watch", "create", "patch"), group, resources);
  }

  private static PolicyRule rule(List<String> verbs, String group, String... resources) {
    return new PolicyRuleBuilder()
        .withApiGroups(group)
        .withResources(resources)
        .withVerbs(verbs)
        .build();
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
