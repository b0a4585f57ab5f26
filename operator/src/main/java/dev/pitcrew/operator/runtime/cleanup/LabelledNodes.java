package dev.pitcrew.operator.runtime.cleanup;

import dev.pitcrew.core.names.FieldManagers;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.FieldManager;
import dev.pitcrew.operator.node.NodeChange;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.node.NodePlan;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeList;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// Takes back from nodes what a policy had brought. The running operator does the same at the same
/// time; what it has not got to, or all if none runs, is done here, since nobody will do it later.
final class LabelledNodes {
  private static final long PAGE = 200;

  private final KubernetesClient client;
  private final Applier applier;
  private final Applier inPlaceOfAgents;

  LabelledNodes(KubernetesClient client) {
    this.client = client;
    this.applier = new Applier(client, FieldManager.OPERATOR);
    this.inPlaceOfAgents = new Applier(client, FieldManager.AGENT);
  }

  /// Names the nodes whose labels the API server does not let go, and why.
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

  /// Nodes are tens of kilobytes each, and there may be thousands.
  private NodeList page(String from) {
    return client
        .nodes()
        .withLabel(NodeLabels.GPU_PRESENT)
        .list(
            new ListOptionsBuilder()
                .withLimit(PAGE)
                .withContinue(from.isEmpty() ? null : from)
                .build());
  }

  private Optional<String> takeBack(Node node) {
    NodeChange change = NodePlan.cleanup(NodeFacts.of(node));
    ApplyResult result =
        change.isEmpty()
            ? new ApplyResult.Unchanged()
            : applier.patchMetadata(node, change.labels(), change.annotations());
    return Stream.of(result, releaseAgents(node))
        .filter(ApplyResult.Refused.class::isInstance)
        .map(refused ->
            "labels of Node/%s (%s)"
                .formatted(node.getMetadata().getName(), ((ApplyResult.Refused) refused).message()))
        .findFirst();
  }

  /// Labels that an agent applied stay with its field manager when it is gone. Who applies nothing
  /// under that name lets them go, but for those that somebody else has set, too.
  private ApplyResult releaseAgents(Node node) {
    boolean isLabelled =
        node.getMetadata().getManagedFields().stream()
            .anyMatch(entry ->
                FieldManagers.AGENT.equals(entry.getManager())
                    && "Apply".equals(entry.getOperation()));
    return isLabelled
        ? inPlaceOfAgents.apply(
            new NodeBuilder()
                .withNewMetadata()
                .withName(node.getMetadata().getName())
                .endMetadata()
                .build(),
            Optional.empty())
        : new ApplyResult.Unchanged();
  }
}
