package dev.pitcrew.testbed.scenario.play;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.scenario.api.ApiServer;
import dev.pitcrew.testbed.scenario.facts.Background;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/// The cluster that scenarios are played on: an otherwise empty one of the caller.
///
/// @param api to read and clean it
/// @param kubectl to write to it as a user does
/// @param namespace the operator's
record TestCluster(ApiServer api, Kubectl kubectl, String namespace) {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration RETRY = Duration.ofMillis(100);
  private static final String NAMESPACES = "/api/v1/namespaces";

  /// Makes the namespace.
  void prepare() throws InterruptedException {
    if (api.find(NAMESPACES + "/" + namespace).isEmpty()) {
      var object = JsonNodeFactory.instance.objectNode().put("kind", "Namespace");
      object.put("apiVersion", "v1").putObject("metadata").put("name", namespace);
      api.create(NAMESPACES, object);
    }
    var account = NAMESPACES + "/" + namespace + "/serviceaccounts/default";
    await(
        () -> api.find(account).isPresent(),
        "no default service account: is the controller manager running?");
  }

  /// Empties it for the next operator.
  void reset() throws InterruptedException {
    new ClusterReset(api, namespace, false).empty();
  }

  /// Empties it under an operator that goes on.
  void resetUnderOperator() throws InterruptedException {
    new ClusterReset(api, namespace, true).empty();
  }

  /// Creates a scenario's input, which is marked so that it makes no facts.
  void createInput(Path file) throws InterruptedException {
    require(kubectl.run("apply", "--filename", file.toString()), file);
    require(
        kubectl.run(
            "label",
            "--overwrite",
            "--filename",
            file.toString(),
            Background.INPUT_LABEL + "=true"),
        file);
    await(this::servesInput, "the kinds defined in " + file + " are not served");
  }

  private boolean servesInput() {
    return api.list("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").stream()
        .filter(Background::isInput)
        .allMatch(TestCluster::isEstablished);
  }

  private static boolean isEstablished(JsonNode definition) {
    for (var condition : definition.at("/status/conditions")) {
      if (condition.path("type").asText().equals("Established")) {
        return condition.path("status").asText().equals("True");
      }
    }
    return false;
  }

  void createNodes(Path file) {
    require(kubectl.run("create", "--filename", file.toString()), file);
  }

  /// Applies a file; which objects were accepted, and whether any was rejected, are facts.
  Applied apply(Path file) {
    var outcome =
        kubectl.run(
            "apply", "--validate=ignore", "--filename", file.toString(), "--output", "name");
    var facts = JsonNodeFactory.instance.objectNode();
    outcome.output().lines().forEach(name -> facts.put(name, "accepted"));
    if (outcome.isAccepted()) {
      return new Applied(facts, List.of());
    }
    return new Applied(facts.put("rejected", true), List.of("refused: " + outcome.refusal()));
  }

  /// What the API server accepted of some input.
  ///
  /// @param facts the fact `applied`
  /// @param notes for the reader of the report
  record Applied(ObjectNode facts, List<String> notes) {
    static Applied nothing() {
      return new Applied(JsonNodeFactory.instance.objectNode(), List.of());
    }
  }

  private static void require(Kubectl.Outcome outcome, Path file) {
    if (!outcome.isAccepted()) {
      throw new IllegalStateException(file + " cannot be created: " + outcome.errors().strip());
    }
  }

  private static void await(BooleanSupplier condition, String problem) throws InterruptedException {
    var deadline = Deadline.in(LIMIT);
    while (!condition.getAsBoolean()) {
      if (deadline.isOver()) {
        throw new IllegalStateException(problem);
      }
      Thread.sleep(RETRY);
    }
  }
}
