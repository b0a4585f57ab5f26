package dev.pitcrew.operator.runtime.cleanup;

import dev.pitcrew.core.Backoff;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.operator.node.DriverOwners;
import dev.pitcrew.operator.node.NodeChange;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.node.NodePlan;
import dev.pitcrew.operator.runtime.upgrade.UpgradeTraces;
import dev.pitcrew.operator.upgrade.UpgradeMarks;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Removes from nodes what a policy has added: labels, annotations, taints, the condition, and the
/// cordon of an upgrade that is under way. A running operator does the same at the same time; what
/// it has not done yet, or all if none runs, is done here, since nothing does it later.
final class NodeCleanup {
  /// Nodes are tens of kilobytes each, and there may be thousands.
  private static final long PAGE = 200;

  /// Enough to hide the round trips, few enough for the API server's fair share of one client.
  private static final int AT_ONCE = 16;

  /// Each with the node as it is then: kubelets and controllers write nodes, too.
  private static final int TRIES = 5;

  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));

  /// What drivers and their managers ask of an operator.
  private static final List<String> REQUESTS =
      List.of(UpgradeMarks.SAFE_LOAD, NodeLabels.DRIVER_MANAGER_WAITS);

  private final KubernetesClient client;
  private final Applier applier;
  private final Deadline deadline;
  private final Consumer<String> progress;

  NodeCleanup(
      KubernetesClient client, Applier applier, Deadline deadline, Consumer<String> progress) {
    this.client = client;
    this.applier = applier;
    this.deadline = deadline;
    this.progress = progress;
  }

  /// Names the nodes on which something is left, and why.
  List<String> run() throws InterruptedException {
    var left = new ArrayList<String>();
    int cleaned = 0;
    String next = "";
    try (var threads = Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory())) {
      do {
        NodeList page = page(next);
        List<Node> nodes = page.getItems().stream().filter(node -> !isClean(node)).toList();
        List<String> leftOfPage = cleanAll(nodes, threads);
        left.addAll(leftOfPage);
        if (nodes.size() > leftOfPage.size()) {
          cleaned += nodes.size() - leftOfPage.size();
          progress.accept("nodes cleaned so far: " + cleaned);
        }
        next = Objects.requireNonNullElse(page.getMetadata().getContinue(), "");
      } while (!next.isEmpty());
    }
    return left;
  }

  /// Of all nodes, since one may have been tainted before it was labelled.
  private NodeList page(String from) {
    return client
        .nodes()
        .list(
            new ListOptionsBuilder()
                .withLimit(PAGE)
                .withContinue(from.isEmpty() ? null : from)
                .build());
  }

  private List<String> cleanAll(List<Node> nodes, ExecutorService threads)
      throws InterruptedException {
    List<Callable<Optional<String>>> steps =
        nodes.stream().<Callable<Optional<String>>>map(node -> () -> clean(node)).toList();
    List<Future<Optional<String>>> results = deadline.invokeAll(threads, steps);
    var left = new ArrayList<String>();
    for (int i = 0; i < results.size(); i++) {
      String name = nodes.get(i).getMetadata().getName();
      whyLeft(results.get(i)).ifPresent(why -> left.add("Node/%s (%s)".formatted(name, why)));
    }
    return left;
  }

  private static Optional<String> whyLeft(Future<Optional<String>> result) {
    return switch (result.state()) {
      case SUCCESS -> result.resultNow();
      case FAILED -> Optional.of(result.exceptionNow().toString());
      case CANCELLED, RUNNING -> Optional.of("the time was up");
    };
  }

  /// @return why something is left
  private Optional<String> clean(Node listed) throws InterruptedException {
    Optional<String> why = attempt(listed);
    for (int i = 1; i < TRIES && why.isPresent(); i++) {
      Thread.sleep(BACKOFF.ceiling(i));
      why = again(listed.getMetadata().getName());
    }
    return why;
  }

  private Optional<String> again(String name) {
    try {
      return Optional.ofNullable(client.nodes().withName(name).get()).flatMap(this::attempt);
    } catch (KubernetesClientException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private Optional<String> attempt(Node node) {
    try {
      if (!UpgradeTraces.remove(applier, node)) {
        return Optional.of("it changes all the time");
      }
      NodeChange change = change(node);
      ApplyResult result =
          change.isEmpty()
              ? new ApplyResult.Unchanged()
              : applier.patchMetadata(node, change.labels(), change.annotations());
      return result instanceof ApplyResult.Refused(String message)
          ? Optional.of(message)
          : AgentTraces.removeAll(applier, node);
    } catch (KubeException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private static boolean isClean(Node node) {
    return change(node).isEmpty() && !UpgradeTraces.areOn(node) && !AgentTraces.areOn(node);
  }

  private static NodeChange change(Node node) {
    // No driver manager is left to end a pause.
    NodeChange plan =
        NodePlan.cleanup(NodeFacts.of(node).withPauseLeft(true), Optional.of(DriverOwners.NONE));
    Map<String, String> present =
        Objects.requireNonNullElse(node.getMetadata().getAnnotations(), Map.of());
    Map<String, @Nullable String> annotations = new HashMap<>(plan.annotations());
    REQUESTS.stream().filter(present::containsKey).forEach(it -> annotations.put(it, null));
    return new NodeChange(plan.labels(), annotations, List.of());
  }
}
