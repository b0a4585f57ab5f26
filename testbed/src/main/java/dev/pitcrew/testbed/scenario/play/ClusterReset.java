package dev.pitcrew.testbed.scenario.play;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.scenario.api.ApiServer;
import dev.pitcrew.testbed.scenario.facts.Background;
import dev.pitcrew.testbed.scenario.facts.RecordedKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Empties a cluster between scenarios: the custom resources, all that was made from them, the
/// scenario's input and the nodes. What Kubernetes and the operator's chart brought stays.
///
/// @param isLeaseKept whether the operator goes on, which would end without its lease
record ClusterReset(ApiServer api, String namespace, boolean isLeaseKept) {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration RETRY = Duration.ofMillis(150);
  private static final int NAMED_LEFTOVERS = 8;
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

  private record Leftover(String path, boolean isHeldByFinalizer) {
    static Leftover of(String list, JsonNode object) {
      return new Leftover(
          list + "/" + object.at("/metadata/name").asText(),
          !object.at("/metadata/finalizers").isEmpty());
    }

    boolean isPod() {
      return path.contains("/pods/");
    }

    /// The API server itself empties a definition before it goes.
    boolean isDefinition() {
      return path.startsWith(DEFINITIONS);
    }
  }

  /// @throws IllegalStateException where something does not go
  void empty() throws InterruptedException {
    var deadline = Deadline.in(LIMIT);
    for (var left = leftovers(); !left.isEmpty(); left = leftovers()) {
      if (deadline.isOver()) {
        var names = left.stream().limit(NAMED_LEFTOVERS).map(Leftover::path).toList();
        throw new IllegalStateException(
            "the cluster is not empty " + LIMIT.toSeconds() + " s after deletion: " + names);
      }
      left.forEach(this::remove);
      Thread.sleep(RETRY);
    }
    removeNamespaceLabels();
  }

  private List<Leftover> leftovers() {
    var left = new ArrayList<Leftover>();
    kindsConfigurationFirst().forEach(kind -> left.addAll(leftoversOf(kind)));
    for (var list : dependentLists()) {
      api.list(list).forEach(object -> left.add(Leftover.of(list, object)));
    }
    api.list(DEFINITIONS).stream()
        .filter(Background::isInput)
        .forEach(object -> left.add(Leftover.of(DEFINITIONS, object)));
    return left;
  }

  /// Without its custom resources the operator creates nothing again.
  private static Stream<RecordedKind> kindsConfigurationFirst() {
    var kinds = List.of(RecordedKind.values());
    return Stream.concat(
        kinds.stream().filter(RecordedKind::isConfiguration),
        kinds.stream().filter(kind -> !kind.isConfiguration()));
  }

  private List<Leftover> leftoversOf(RecordedKind kind) {
    var list = kind.path(namespace);
    return api.list(list).stream()
        .filter(object -> !Background.isThere(kind, object))
        .map(object -> Leftover.of(list, object))
        .toList();
  }

  /// What follows from the rest; a lease would keep the next operator waiting for its leadership.
  private List<String> dependentLists() {
    var lists =
        new ArrayList<>(
            List.of(
                "/api/v1/namespaces/" + namespace + "/pods",
                "/apis/apps/v1/namespaces/" + namespace + "/controllerrevisions",
                "/apis/resource.k8s.io/v1/namespaces/" + namespace + "/resourceclaims",
                "/apis/resource.k8s.io/v1/resourceslices"));
    if (!isLeaseKept) {
      lists.add("/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases");
    }
    return lists;
  }

  private void remove(Leftover leftover) {
    if (leftover.isHeldByFinalizer() && !leftover.isDefinition()) {
      var patch = JsonNodeFactory.instance.objectNode();
      patch.putObject("metadata").putNull("finalizers");
      api.mergePatch(leftover.path(), patch);
    }
    api.delete(leftover.path(), options(leftover));
  }

  private static ObjectNode options(Leftover leftover) {
    var options = JsonNodeFactory.instance.objectNode();
    return leftover.isPod()
        ? options.put("gracePeriodSeconds", 0)
        : options.put("propagationPolicy", "Background");
  }

  private void removeNamespaceLabels() {
    var path = "/api/v1/namespaces/" + namespace;
    var labels = JsonNodeFactory.instance.objectNode();
    api.find(path)
        .orElseThrow()
        .at("/metadata/labels")
        .fieldNames()
        .forEachRemaining(labels::putNull);
    labels.remove("kubernetes.io/metadata.name");
    if (!labels.isEmpty()) {
      var patch = JsonNodeFactory.instance.objectNode();
      patch.putObject("metadata").set("labels", labels);
      api.mergePatch(path, patch);
    }
  }
}
