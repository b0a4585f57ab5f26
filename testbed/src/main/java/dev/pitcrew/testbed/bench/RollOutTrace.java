package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// How long the operator let each node wait, by the audit log: for each of its writes, the time
/// from the answer to the request that caused it until the write arrived.
///
/// The cause is the last request about the node before the write: of its kubelet or of a controller
/// on one of its pods, of its agent on its GPUNode, or the operator's own last write there. A node
/// begins because a place got free: the first ones because the driver's DaemonSet was written, and
/// each further one because, in their order, one of the nodes before it was done.
final class RollOutTrace {
  private static final String EVICTION = "pods/eviction";
  private static final Set<String> OF_PODS =
      Set.of("pods", "pods/status", "pods/binding", EVICTION);

  /// One write of the operator for a node.
  ///
  /// @param name the state that the node came to by it, or what else was done
  record Step(String name, Instant cause, Instant written) {
    Duration gap() {
      return written.isBefore(cause) ? Duration.ZERO : Duration.between(cause, written);
    }
  }

  /// The writes for one node from its begin on.
  ///
  /// @param marked when it was marked as waiting; empty where it began at once
  /// @param done when its last write was answered
  record Node(String name, Optional<Instant> marked, List<Step> steps, Instant done) {
    Node {
      steps = List.copyOf(steps);
    }

    /// All waits together.
    Duration overhead() {
      return steps.stream().map(Step::gap).reduce(Duration.ZERO, Duration::plus);
    }

    Duration underWay() {
      return Duration.between(steps.getFirst().written(), done);
    }
  }

  /// What is known of the cluster beside its audit log.
  ///
  /// @param operator the user that the operator is
  /// @param nodeOfPod by namespace and name, as `a/b`
  /// @param states what each node went through
  record Fleet(String operator, Map<String, String> nodeOfPod, Map<String, List<String>> states) {
    boolean isOurs(Request request) {
      return request.user().equals(operator);
    }
  }

  private final Fleet fleet;
  private final Map<String, List<Request>> byNode = new HashMap<>();

  private RollOutTrace(Fleet fleet, List<Request> requests) {
    this.fleet = fleet;
    requests.stream()
        .filter(request -> request.isMutating() && request.status() < 300)
        .sorted(Comparator.comparing(Request::received))
        .forEach(request ->
            node(request)
                .ifPresent(
                    node -> byNode.computeIfAbsent(node, _ -> new ArrayList<>()).add(request)));
  }

  /// Follows all nodes from the roll-out's begin to its end.
  ///
  /// @param requests of all users in that time
  /// @param parallel how many nodes were let in at a time
  static List<Node> of(Fleet fleet, List<Request> requests, int parallel) {
    var trace = new RollOutTrace(fleet, requests);
    var asked =
        requests.stream()
            .filter(
                request -> fleet.isOurs(request) && request.resource().equals("apps/daemonsets"))
            .map(Request::answered)
            .findFirst()
            .orElseThrow();
    return trace.nodes(asked, parallel);
  }

  private List<Node> nodes(Instant asked, int parallel) {
    var names =
        fleet.states().keySet().stream()
            .filter(name -> !patches(name).isEmpty())
            .sorted(Comparator.comparing(name -> begin(name).received()))
            .toList();
    var ends = names.stream().map(name -> patches(name).getLast().answered()).sorted().toList();
    var nodes = new ArrayList<Node>();
    for (var i = 0; i < names.size(); i++) {
      nodes.add(node(names.get(i), i < parallel ? asked : ends.get(i - parallel)));
    }
    return List.copyOf(nodes);
  }

  private Node node(String name, Instant free) {
    var begin = begin(name);
    var patches = patches(name);
    var steps = new ArrayList<Step>();
    for (var request : requests(name)) {
      if (fleet.isOurs(request) && !request.received().isBefore(begin.received())) {
        var cause = request.equals(begin) ? free : cause(name, request);
        steps.add(new Step(word(name, patches, request), cause, request.received()));
      }
    }
    var marked =
        isMarked(name) ? Optional.of(patches.getFirst().answered()) : Optional.<Instant>empty();
    return new Node(name, marked, steps, patches.getLast().answered());
  }

  private Instant cause(String name, Request write) {
    return requests(name).stream()
        .map(Request::answered)
        .filter(answered -> !answered.isAfter(write.received()))
        .max(Comparator.naturalOrder())
        .orElse(write.received());
  }

  private Request begin(String name) {
    return patches(name).get(isMarked(name) ? 1 : 0);
  }

  private boolean isMarked(String name) {
    var seen = fleet.states().get(name);
    return patches(name).size() > 1 && seen != null && seen.getFirst().equals("upgrade-required");
  }

  private List<Request> requests(String name) {
    return byNode.getOrDefault(name, List.of());
  }

  private List<Request> patches(String name) {
    return requests(name).stream()
        .filter(request -> fleet.isOurs(request) && request.resource().equals("nodes"))
        .toList();
  }

  /// States and patches of a node answer each other, unless another writer wrote one of them.
  private String word(String name, List<Request> patches, Request request) {
    var states = Objects.requireNonNull(fleet.states().get(name));
    var index = patches.indexOf(request);
    if (index >= 0) {
      return patches.size() == states.size() ? states.get(index) : "patch";
    }
    return request.resource().equals(EVICTION) ? "pod evicted" : "driver pod deleted";
  }

  /// The node that a request is about, if it may cause something there or is the operator's work.
  private Optional<String> node(Request request) {
    return switch (request.resource()) {
      case "nodes" -> Optional.of(request.name()).filter(_ -> fleet.isOurs(request));
      case "gpunodes/status", "pitcrew.dev/gpunodes/status" ->
          Optional.of(request.name()).filter(_ -> !fleet.isOurs(request));
      default ->
          Stream.of(request)
              .filter(it -> OF_PODS.contains(it.resource()))
              .flatMap(it ->
                  Optional.ofNullable(fleet.nodeOfPod().get(it.namespace() + "/" + it.name()))
                      .stream())
              .findFirst();
    };
  }
}
