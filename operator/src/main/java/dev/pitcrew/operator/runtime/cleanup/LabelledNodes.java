package dev.pitcrew.operator.runtime.cleanup;

import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.FieldManager;
import dev.pitcrew.operator.node.DriverOwners;
import dev.pitcrew.operator.node.NodeChange;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.node.NodePlan;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeList;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Takes back from nodes what a policy had brought. The running operator does the same at the same
/// time; what it has not got to, or all if none runs, is done here, since nobody will do it later.
final class LabelledNodes {
  private static final long PAGE = 200;

  private final KubernetesClient client;
  private final Applier applier;

  LabelledNodes(KubernetesClient client) {
    this.client = client;
    this.applier = new Applier(client, FieldManager.OPERATOR);
  }

  /// Names the nodes whose labels, taints or condition the API server does not let go, and why.
  List<String> takeBack() {
    var kept = new ArrayList<String>();
    String next = "";
    do {
      NodeList page = page(next);
      page.getItems().forEach(node -> takeBack(node).ifPresent(kept::add));
      next = Objects.requireNonNullElse(page.getMetadata().getContinue(), "");
    } while (!next.isEmpty());
    return kept;
  }

  /// Nodes are tens of kilobytes each, and there may be thousands. All of them: a node may have
  /// been tainted before it was labelled.
  private NodeList page(String from) {
    return client
        .nodes()
        .list(
            new ListOptionsBuilder()
                .withLimit(PAGE)
                .withContinue(from.isEmpty() ? null : from)
                .build());
  }

  private Optional<String> takeBack(Node node) {
    // Whoever could end a pause goes, too.
    NodeChange change =
        NodePlan.cleanup(NodeFacts.of(node).withPauseLeft(true), Optional.of(DriverOwners.NONE));
    ApplyResult result =
        change.isEmpty()
            ? new ApplyResult.Unchanged()
            : applier.patchMetadata(node, change.labels(), change.annotations());
    String name = node.getMetadata().getName();
    return result instanceof ApplyResult.Refused(String message)
        ? Optional.of("labels of Node/%s (%s)".formatted(name, message))
        : AgentTraces.removeAll(applier, node)
            .flatMap(_ -> again(name))
            .map(why ->
                "labels, taints or condition of an agent on Node/%s (%s)".formatted(name, why));
  }

  /// Somebody else may have changed the taints since the node was listed.
  private Optional<String> again(String name) {
    return Optional.ofNullable(client.nodes().withName(name).get())
        .flatMap(node -> AgentTraces.removeAll(applier, node));
  }
}
