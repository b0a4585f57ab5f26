package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.KubeNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.plan.Chain.Mark;
import dev.pitcrew.cli.plan.Chain.Step;
import dev.pitcrew.core.requests.Choice;
import dev.pitcrew.core.requests.GpuSupply;
import dev.pitcrew.core.requests.NodeOffer;
import dev.pitcrew.core.requests.RequestChecks;
import dev.pitcrew.core.requests.Shortfall;
import dev.pitcrew.core.requests.Taint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Why the scheduler finds no node for a pod that asks for GPUs: how far each node with GPUs comes.
/// Where none could ever run the pod, the cause is the one that the operator reports by an Event.
final class Search {
  private static final int MOST_HOLDERS = 4;

  /// What keeps a node from running the pod, in the order in which it is looked at: the later, the
  /// closer is the node.
  private enum Obstacle {
    LACKS("without what it asks for"),
    SELECTION("excluded by "),
    TAINT("with a taint that it does not tolerate"),
    NODE_NOT_READY("with a kubelet that is not ready"),
    CORDONED("cordoned"),
    UNHEALTHY("with as many GPUs, of which some are unhealthy or not offered"),
    IN_USE("with too few free GPUs"),
    OTHER("with enough free GPUs, kept back by something else");

    private final String words;

    Obstacle(String words) {
      this.words = words;
    }
  }

  private record Candidate(KubeNode node, Obstacle obstacle) {}

  private final Pod pod;
  private final PodChain.Cluster cluster;
  private final Map<Obstacle, List<KubeNode>> nodes;

  private Search(Pod pod, PodChain.Cluster cluster, List<KubeNode> all) {
    this.pod = pod;
    this.cluster = cluster;
    nodes =
        all.stream()
            .sorted(Comparator.comparing(KubeNode::name))
            .map(node -> new Candidate(node, obstacle(node)))
            .collect(
                Collectors.groupingBy(
                    Candidate::obstacle,
                    () -> new EnumMap<>(Obstacle.class),
                    Collectors.mapping(Candidate::node, Collectors.toList())));
  }

  static Chain of(Pod pod, PodChain.Cluster cluster, String subject) {
    List<KubeNode> all = cluster.nodes().orElse(List.of());
    var search = new Search(pod, cluster, all);
    List<NodeOffer> offers = all.stream().map(KubeNode::offer).toList();
    List<Step> steps = search.steps(all.size());
    Optional<Shortfall> never =
        RequestChecks.shortfall(
            pod.demand(), Choice.of(pod.placement(), GpuSupply.of(offers), offers));
    if (never.isPresent()) {
      return PodChain.bad(subject, cause(never.get().cause()), steps, next(never.get()));
    }
    return PodChain.bad(subject, search.cause(), steps, search.next());
  }

  private static String cause(Shortfall.Cause cause) {
    return switch (cause) {
      case UNKNOWN_RESOURCE -> "it asks for a resource that no node has";
      case TOO_MANY -> "it asks for more GPUs than any node has";
      case ONE_OF_SHARED_ONLY -> "it asks for more than one share of a GPU that is shared by MPS";
      case NOT_TOGETHER -> "it asks for resources that no node has together";
      case NOT_WHERE_IT_MAY_RUN ->
          "its node selector or affinity leaves no node that has enough GPUs";
      case NOT_TOLERATED -> "it does not tolerate the taint of any node that has enough GPUs";
      case NOT_OFFERED_NOW -> "the nodes have enough GPUs, but offer fewer";
    };
  }

  private static List<String> next(Shortfall never) {
    var next = new ArrayList<String>();
    next.add(never.note());
    if (never.mayPass()) {
      next.add("it may pass automatically, as nodes are being set up: kubectl gpu status");
    }
    return next;
  }

  private Obstacle obstacle(KubeNode node) {
    if (!node.offer().has(pod.demand())) {
      return Obstacle.LACKS;
    }
    if (!pod.placement().allows(node.offer())) {
      return Obstacle.SELECTION;
    }
    if (!node.offer().untolerated(pod.placement().tolerations()).isEmpty()) {
      return Obstacle.TAINT;
    }
    if (!node.ready()) {
      return Obstacle.NODE_NOT_READY;
    }
    if (node.cordoned()) {
      return Obstacle.CORDONED;
    }
    if (!covers(node.offer().allocatable())) {
      return Obstacle.UNHEALTHY;
    }
    boolean isFree =
        cluster.holders().map(it -> covers(NodeRow.freeByResource(node, it))).orElse(true);
    return isFree ? Obstacle.OTHER : Obstacle.IN_USE;
  }

  private boolean covers(Map<String, Long> amounts) {
    return pod.demand().asks().entrySet().stream()
        .allMatch(it -> amounts.getOrDefault(it.getKey(), 0L) >= it.getValue().count());
  }

  /// The obstacle of the nodes that come furthest.
  private Obstacle closest() {
    return nodes.keySet().stream().max(Comparator.naturalOrder()).orElse(Obstacle.LACKS);
  }

  private List<Step> steps(int all) {
    var steps = new ArrayList<Step>();
    steps.add(PodChain.step(Mark.NOTE, all == 1 ? "1 node with GPUs" : all + " nodes with GPUs"));
    nodes.forEach((obstacle, group) ->
        steps.add(
            new Step(
                obstacle == closest() ? Mark.BAD : Mark.NOTE,
                group.size() + " " + words(obstacle),
                details(obstacle, group))));
    if (closest() == Obstacle.OTHER) {
      PodChain.scheduler(pod).ifPresent(it -> steps.add(PodChain.step(Mark.BAD, it)));
    }
    return steps;
  }

  private String words(Obstacle obstacle) {
    return obstacle == Obstacle.SELECTION
        ? obstacle.words + pod.placement().words()
        : obstacle.words;
  }

  private List<String> details(Obstacle obstacle, List<KubeNode> group) {
    String names = Words.some(group.stream().map(KubeNode::name).toList());
    return switch (obstacle) {
      case LACKS -> List.of(names, "advertised there: " + has(group));
      case SELECTION, NODE_NOT_READY, OTHER -> List.of(names);
      case TAINT -> List.of(names, String.join(", ", taints(group)));
      case CORDONED -> group.stream().limit(MOST_HOLDERS).map(this::cordon).toList();
      case UNHEALTHY -> group.stream().limit(MOST_HOLDERS).map(this::unhealthy).toList();
      case IN_USE -> inUse(group);
    };
  }

  private static String has(List<KubeNode> group) {
    SortedSet<String> advertised =
        GpuSupply.of(group.stream().map(KubeNode::offer).toList()).advertised();
    return advertised.isEmpty() ? "no GPU to offer yet" : String.join(", ", advertised);
  }

  private SortedSet<String> taints(Collection<KubeNode> group) {
    return group.stream()
        .flatMap(node -> node.offer().untolerated(pod.placement().tolerations()).stream())
        .map(Taint::text)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private String cordon(KubeNode node) {
    return cluster
        .gpuNode(node.name())
        .map(GpuNode::rollout)
        .filter(GpuNode.Rollout::isUnderWay)
        .map(it ->
            "%s: by the driver roll-out, %s%s"
                .formatted(
                    node.name(),
                    it.phase(),
                    it.blocker().isEmpty() ? "" : ", waits for " + it.blocker()))
        .orElse(node.name() + ": by kubectl cordon or drain");
  }

  private String unhealthy(KubeNode node) {
    return cluster
        .gpuNode(node.name())
        .map(it -> "%s: %s".formatted(node.name(), it.isReady() ? it.health() : it.message()))
        .orElse(node.name());
  }

  private List<String> inUse(List<KubeNode> group) {
    Holdings holders = cluster.holders().orElseGet(() -> new Holdings(List.of()));
    String resource = pod.demand().asks().firstKey();
    KubeNode closest =
        group.stream()
            .max(Comparator.comparingLong(node -> free(node, holders, resource)))
            .orElseThrow();
    var details = new ArrayList<String>();
    details.add(
        "closest: %s has %d × %s free"
            .formatted(closest.name(), free(closest, holders, resource), resource));
    List<Pod> held =
        group.stream()
            .flatMap(node -> holders.on(node.name()).stream())
            .filter(it -> Holdings.count(it, resource) > 0)
            .sorted(
                Comparator.comparingLong((Pod it) -> -Holdings.count(it, resource))
                    .thenComparing(Pod::id))
            .toList();
    held.stream()
        .limit(MOST_HOLDERS)
        .forEach(it ->
            details.add(
                "held by %s on %s: %d"
                    .formatted(it.id(), it.node(), Holdings.count(it, resource))));
    if (held.size() > MOST_HOLDERS) {
      details.add("and %d more: kubectl gpu who".formatted(held.size() - MOST_HOLDERS));
    }
    return details;
  }

  private static long free(KubeNode node, Holdings holders, String resource) {
    return NodeRow.freeByResource(node, holders).getOrDefault(resource, 0L);
  }

  private String cause() {
    return switch (closest()) {
      case LACKS, SELECTION, TAINT -> "no node with GPUs can run it";
      case NODE_NOT_READY -> "the nodes that could run it are not ready";
      case CORDONED -> "the nodes that could run it are cordoned";
      case UNHEALTHY -> "the nodes that could run it offer fewer GPUs than they have";
      case IN_USE -> "the GPUs that it could have are in use";
      case OTHER -> "GPUs are free, and something else keeps it from their nodes";
    };
  }

  private List<String> next() {
    String example =
        nodes.getOrDefault(closest(), List.of()).stream()
            .map(KubeNode::name)
            .findFirst()
            .orElse("");
    return switch (closest()) {
      case LACKS, SELECTION, TAINT, NODE_NOT_READY -> List.of("kubectl describe node " + example);
      case CORDONED -> cordoned(example);
      case UNHEALTHY -> List.of("kubectl gpu explain node " + example);
      case IN_USE ->
          List.of(
              "nothing is wrong with the pod: it starts when enough GPUs of one node are free",
              "kubectl gpu who");
      case OTHER ->
          List.of(
              cluster.holders().isEmpty()
                  ? "your rights do not allow to list pods, so whether the GPUs are free is not known"
                  : "CPU, memory, volumes or rules between pods, as the scheduler says above: correct the pod, or the template that makes it");
    };
  }

  private List<String> cordoned(String example) {
    return nodes.getOrDefault(Obstacle.CORDONED, List.of()).stream()
            .allMatch(node ->
                cluster.gpuNode(node.name()).filter(it -> it.rollout().isUnderWay()).isPresent())
        ? List.of("wait: the roll-out uncordons them", "kubectl gpu explain node " + example)
        : List.of("kubectl uncordon " + example + ", once it may take pods again");
  }
}
