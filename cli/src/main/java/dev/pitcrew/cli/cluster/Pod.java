package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.core.requests.GpuDemand;
import dev.pitcrew.core.requests.Placement;
import dev.pitcrew.core.requests.Toleration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A pod, as far as its GPUs are concerned.
///
/// @param node empty before the scheduler has found one
/// @param reason in one word, of a pod that has failed
/// @param gates that keep the scheduler from looking at it
/// @param claims names of its ResourceClaims; empty text for one that is not made yet
/// @param waiting why containers have not started
/// @param owner its controller, such as `StatefulSet/notebook`; empty where it has none
public record Pod(
    String namespace,
    String name,
    String node,
    String phase,
    String reason,
    String message,
    boolean deleting,
    String created,
    GpuDemand demand,
    Placement placement,
    List<String> gates,
    List<Claim> claims,
    List<Condition> conditions,
    List<Waiting> waiting,
    String owner) {

  /// A ResourceClaim that the pod refers to.
  ///
  /// @param reference its name within the pod
  /// @param name of the object; empty while it is not made
  public record Claim(String reference, String name) {}

  /// A container that has not started, or has ended and is to start again.
  public record Waiting(String container, String reason, String message) {}

  public static Pod of(Json pod) {
    Json spec = pod.at("spec");
    Json status = pod.at("status");
    return new Pod(
        pod.at("metadata", "namespace").text(),
        pod.at("metadata", "name").text(),
        spec.at("nodeName").text(),
        status.at("phase").text(),
        status.at("reason").text(),
        status.at("message").text(),
        !pod.at("metadata", "deletionTimestamp").isEmpty(),
        pod.at("metadata", "creationTimestamp").text(),
        GpuDemand.of(containers(spec.at("containers")), containers(spec.at("initContainers"))),
        placement(spec),
        spec.at("schedulingGates").items().stream().map(it -> it.at("name").text()).toList(),
        claims(spec, status),
        Condition.all(status.at("conditions")),
        Stream.of("initContainerStatuses", "containerStatuses")
            .flatMap(part -> waiting(status.at(part)))
            .toList(),
        pod.at("metadata", "ownerReferences").items().stream()
            .filter(it -> it.at("controller").isTrue())
            .map(it -> it.at("kind").text() + "/" + it.at("name").text())
            .findFirst()
            .orElse(""));
  }

  /// As kubectl takes it where it is asked for more than one kind.
  public String id() {
    return namespace + "/" + name;
  }

  /// Whether its GPUs are taken from those of its node.
  public boolean isHolding() {
    return !node.isEmpty() && !phase.equals("Succeeded") && !phase.equals("Failed");
  }

  public Optional<Condition> condition(String type) {
    return Condition.find(conditions, type);
  }

  private static List<GpuDemand.Container> containers(Json containers) {
    return containers.items().stream()
        .map(it ->
            new GpuDemand.Container(
                it.at("name").text(),
                it.at("restartPolicy").text().equals("Always"),
                KubeNode.amounts(it.at("resources", "limits"))))
        .toList();
  }

  private static Placement placement(Json spec) {
    Json required =
        spec.at("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
    return new Placement(
        spec.at("nodeSelector").textFields(),
        required.at("nodeSelectorTerms").items().stream()
            .map(it ->
                new Placement.Term(
                    requirements(it.at("matchExpressions")), requirements(it.at("matchFields"))))
            .toList(),
        spec.at("tolerations").items().stream()
            .map(it ->
                new Toleration(
                    it.at("key").text(),
                    it.at("operator").text(),
                    it.at("value").text(),
                    it.at("effect").text()))
            .toList());
  }

  private static List<Placement.Requirement> requirements(Json requirements) {
    return requirements.items().stream()
        .map(it ->
            new Placement.Requirement(
                it.at("key").text(), it.at("operator").text(), it.at("values").texts()))
        .toList();
  }

  /// A claim that a template makes has its name in the status.
  private static List<Claim> claims(Json spec, Json status) {
    return spec.at("resourceClaims").items().stream()
        .map(it -> {
          String reference = it.at("name").text();
          String own = it.at("resourceClaimName").text();
          String made =
              status.at("resourceClaimStatuses").items().stream()
                  .filter(one -> one.at("name").text().equals(reference))
                  .map(one -> one.at("resourceClaimName").text())
                  .findFirst()
                  .orElse("");
          return new Claim(reference, own.isEmpty() ? made : own);
        })
        .toList();
  }

  private static Stream<Waiting> waiting(Json statuses) {
    return statuses.items().stream()
        .filter(it -> !it.at("state", "waiting").isEmpty())
        .map(it ->
            new Waiting(
                it.at("name").text(),
                it.at("state", "waiting", "reason").text(),
                it.at("state", "waiting", "message").text()));
  }
}
