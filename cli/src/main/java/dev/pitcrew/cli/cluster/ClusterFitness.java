package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.cli.transport.Kubectl;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Reads what says whether Pitcrew can be installed.
public final class ClusterFitness {
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/";

  /// Verbs and resources of what the chart makes, one of each kind that few may make; those with a
  /// namespace are asked for in it.
  private static final List<Right> RIGHTS =
      List.of(
          new Right("create", "customresourcedefinitions.apiextensions.k8s.io", false),
          new Right("create", "clusterroles.rbac.authorization.k8s.io", false),
          new Right("escalate", "clusterroles.rbac.authorization.k8s.io", false),
          new Right("create", "clusterrolebindings.rbac.authorization.k8s.io", false),
          new Right("create", "validatingadmissionpolicies.admissionregistration.k8s.io", false),
          new Right("create", "clusterpolicies.nvidia.com", false),
          new Right("create", "deployments.apps", true),
          new Right("create", "secrets", true));

  private record Right(String verb, String resource, boolean isNamespaced) {}

  private final ClusterReading cluster;
  private final Kubectl kubectl;

  public ClusterFitness(ClusterReading cluster, Kubectl kubectl) {
    this.cluster = cluster;
    this.kubectl = kubectl;
  }

  /// What the user may not do that an installation does.
  public Supplier<List<String>> denied(String namespace) {
    List<Supplier<Boolean>> answers =
        RIGHTS.stream()
            .map(it ->
                cluster.reading(() ->
                    kubectl.may(it.verb(), it.resource(), it.isNamespaced() ? namespace : "")))
            .toList();
    return () -> {
      var denied = new ArrayList<String>();
      for (int at = 0; at < RIGHTS.size(); at++) {
        if (!answers.get(at).get()) {
          denied.add(RIGHTS.get(at).verb() + " " + RIGHTS.get(at).resource());
        }
      }
      return denied;
    };
  }

  /// Of all definitions of the chart; those that may not be read count as absent.
  public Supplier<List<Definition>> definitions() {
    List<Supplier<Json>> all =
        Definition.NAMES.stream().map(it -> cluster.object(DEFINITIONS + it)).toList();
    return () -> {
      var definitions = new ArrayList<Definition>();
      for (int at = 0; at < all.size(); at++) {
        Optional<Json> found = ifThere(all.get(at));
        definitions.add(
            found.map(Definition::of).orElse(Definition.absent(Definition.NAMES.get(at))));
      }
      return definitions;
    };
  }

  /// DaemonSets and Deployments that have to do with GPUs; empty where the user may not list them.
  public Supplier<Optional<List<Workload>>> workloads() {
    var daemonSets =
        cluster.allIfAny("/apis/apps/v1/daemonsets", it -> Workload.of("DaemonSet", it));
    var deployments =
        cluster.allIfAny("/apis/apps/v1/deployments", it -> Workload.of("Deployment", it));
    return () -> {
      Optional<List<Workload>> one = daemonSets.get();
      Optional<List<Workload>> other = deployments.get();
      if (one.isEmpty() || other.isEmpty()) {
        return Optional.empty();
      }
      var all = new ArrayList<>(one.get());
      all.addAll(other.get());
      return Optional.of(all.stream().filter(it -> it.role() != Workload.Role.OTHER).toList());
    };
  }

  /// Whether the API server serves ValidatingAdmissionPolicy (v1).
  public Supplier<Boolean> admissionPolicies() {
    var group = cluster.object("/apis/admissionregistration.k8s.io/v1");
    return () ->
        group.get().at("resources").items().stream()
            .anyMatch(it -> it.at("name").text().equals("validatingadmissionpolicies"));
  }

  /// The namespace; empty where it is not there, or may not be read.
  public Supplier<Optional<Json>> namespace(String name) {
    var namespace = cluster.object("/api/v1/namespaces/" + name);
    return () -> ifThere(namespace);
  }

  public Supplier<Optional<List<HostNode>>> nodes() {
    return cluster.allIfAny("/api/v1/nodes", HostNode::of);
  }

  private static Optional<Json> ifThere(Supplier<Json> object) {
    try {
      return Optional.of(object.get());
    } catch (RefusedException refused) {
      if (refused.kind() == Refusal.Kind.NOT_FOUND || refused.kind() == Refusal.Kind.FORBIDDEN) {
        return Optional.empty();
      }
      throw refused;
    }
  }
}
