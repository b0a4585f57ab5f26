package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.Condition;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.Policy;
import dev.pitcrew.cli.plan.Chain.Mark;
import dev.pitcrew.cli.plan.Chain.Step;
import dev.pitcrew.cli.plan.FleetStatus.Group;
import dev.pitcrew.cli.plan.FleetStatus.RollOut;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// Why a policy is ready or not: what the operator says of it, the parts that do not run, and the
/// nodes that are behind. Every list is bounded, whatever the size of the cluster.
public final class PolicyChain {
  private static final int MOST = 5;

  /// It keeps pods from a GPU, and no operand from being ready.
  private static final String GPU_UNHEALTHY = "GpuUnhealthy";

  private static final String NOT_REPORTED = "NotReportedYet";
  private static final String RETRIED = "it is tried again automatically";

  /// Parts of messages that name what the steps below show.
  private static final List<String> HEADS =
      List.of("ClusterPolicy is not ready", "states not ready: [");

  private final Policy policy;
  private final List<Policy.Operand> operands;
  private final int nodes;
  private final List<Group> groups;
  private final RollOut rollout;

  private PolicyChain(Policy policy, List<Policy.Operand> operands, Collection<GpuNode> nodes) {
    this.policy = policy;
    this.operands = operands;
    this.nodes = nodes.size();
    groups =
        FleetStatus.groups(nodes).stream()
            .sorted(Comparator.comparing((Group it) -> it.reason().equals(GPU_UNHEALTHY)))
            .toList();
    rollout = FleetStatus.rollOut(nodes);
  }

  /// Which of several to explain: of those that are not ready the one in force.
  public static Optional<Policy> choice(Collection<Policy> policies) {
    return policies.stream()
        .min(
            Comparator.comparing((Policy it) -> it.isReady() && it.observed())
                .thenComparing(Policy::isIgnored)
                .thenComparing(Policy::kind)
                .thenComparing(Policy::name));
  }

  /// @param fleetPolicy which knows the operands; empty where there is none, or it cannot be read
  public static Chain of(
      Policy policy, Optional<Policy> fleetPolicy, Collection<GpuNode> nodes, Instant now) {
    List<Policy.Operand> operands =
        policy.kind() == Policy.Kind.GPU_CLUSTER
            ? List.of()
            : fleetPolicy.map(Policy::operands).orElse(List.of()).stream()
                .filter(Policy.Operand::isNotReady)
                .toList();
    return new PolicyChain(policy, operands, nodes).chain(now);
  }

  /// There is neither a ClusterPolicy nor a GPUCluster.
  public static Chain none() {
    return new Chain(
        false,
        "Policy: none",
        "there is no ClusterPolicy, so nothing is managed",
        List.of(),
        List.of("install one, as docs/install.md says: clusterPolicy.deployCR=true of the chart"));
  }

  private Chain chain(Instant now) {
    String since = policy.verdict().map(it -> Words.age(it.since(), now)).orElse("");
    var steps = new ArrayList<Step>();
    steps.add(verdict());
    if (!policy.observed()) {
      steps.add(step(Mark.BAD, "the status is older than the spec"));
    }
    policy.conditions().stream()
        .filter(it -> !List.of("Ready", "Error").contains(it.type()) && it.isTrue())
        .map(it -> new Step(Mark.BAD, it.type() + ": " + it.reason(), clauses(it.message())))
        .forEach(steps::add);
    addBounded(steps, operands, PolicyChain::operand, "kubectl get fleetpolicy fleet -o yaml");
    steps.addAll(nodes());
    if (!rollout.isOver()) {
      steps.add(rollout());
    }
    return new Chain(
        ok(),
        "%s %s: %s%s"
            .formatted(
                policy.kind().title(),
                policy.name(),
                policy.isReady() ? "ready" : "not ready",
                since.isEmpty() ? "" : " for " + since),
        cause(),
        steps,
        next());
  }

  private boolean ok() {
    return policy.isReady() && policy.observed() && rollout.failed().isEmpty();
  }

  private Step verdict() {
    String message = policy.verdict().map(Condition::message).orElse("");
    List<String> details =
        clauses(message).stream()
            .filter(it -> HEADS.stream().noneMatch(it::startsWith))
            .filter(it -> operands.stream().noneMatch(operand -> operand.message().contains(it)))
            .toList();
    return new Step(policy.isReady() ? Mark.GOOD : Mark.BAD, reason(), details);
  }

  private String reason() {
    return policy.verdict().map(Condition::reason).orElse(NOT_REPORTED);
  }

  private static Step operand(Policy.Operand operand) {
    return new Step(
        Mark.BAD,
        "operand %s: ready on %d of %d nodes"
            .formatted(operand.name(), operand.ready(), operand.desired()),
        clauses(operand.message()));
  }

  private List<Step> nodes() {
    int bad = groups.stream().mapToInt(Group::nodes).sum();
    if (nodes == 0 || bad == 0) {
      return List.of(
          nodes == 0
              ? step(Mark.NOTE, "no node has a GPU yet")
              : step(Mark.GOOD, "nodes with GPUs: %d, all ready".formatted(nodes)));
    }
    var steps = new ArrayList<Step>();
    steps.add(step(Mark.NOTE, "nodes with GPUs: %d, %d ready".formatted(nodes, nodes - bad)));
    addBounded(steps, groups, this::group, "kubectl gpu nodes --bad");
    return steps;
  }

  private Step group(Group group) {
    boolean keeps = !policy.isReady() && !group.reason().equals(GPU_UNHEALTHY);
    int more = group.nodes() - group.examples().size();
    return new Step(
        keeps ? Mark.BAD : Mark.NOTE,
        "%d not ready: %s".formatted(group.nodes(), group.reason()),
        List.of(
            String.join(", ", group.examples()) + (more > 0 ? " and %d more".formatted(more) : ""),
            group.message()));
  }

  private Step rollout() {
    var details = new ArrayList<>(rollout.underWay().stream().limit(MOST).toList());
    if (rollout.underWay().size() > MOST) {
      details.add(
          "and %d more: kubectl gpu nodes -o wide".formatted(rollout.underWay().size() - MOST));
    }
    if (!rollout.failed().isEmpty()) {
      details.add("failed: " + Words.some(rollout.failed()));
    }
    return new Step(
        rollout.failed().isEmpty() ? Mark.NOTE : Mark.BAD,
        "driver roll-out: %d under way, %d wait, %d failed"
            .formatted(rollout.underWay().size(), rollout.pending(), rollout.failed().size()),
        details);
  }

  private String cause() {
    if (ok()) {
      return "";
    }
    if (!policy.observed()) {
      return "the operator has not looked at its last change yet";
    }
    if (!rollout.failed().isEmpty()) {
      return "the roll-out of the driver has failed on " + Words.some(rollout.failed());
    }
    return switch (reason()) {
      case NOT_REPORTED -> "the operator has not looked at it yet";
      case "Ignored" -> "another ClusterPolicy is older and in force";
      case "PrerequisiteNotMet" ->
          "there is a ClusterPolicy besides, and only one of the two can be";
      case "ReconcileFailed" ->
          isRetried()
              ? "the operator could not write an object"
              : "the operator cannot do what it asks for";
      case "OperandNotReady" ->
          operands.stream()
              .findFirst()
              .map(it -> "operand %s is not ready".formatted(it.name()))
              .orElse("not everything that it asks for runs yet");
      default -> reason();
    };
  }

  private List<String> next() {
    if (ok()) {
      return reason().equals("NFDLabelsMissing")
          ? List.of("kubectl get pods -A -l app=pitcrew-agent -o wide", "see docs/troubleshoot.md")
          : List.of();
    }
    if (!policy.observed()) {
      return operator("after a few seconds, ");
    }
    if (!rollout.failed().isEmpty()) {
      return List.of("kubectl gpu explain node " + rollout.failed().getFirst());
    }
    return switch (reason()) {
      case NOT_REPORTED ->
          policy.kind() == Policy.Kind.FLEET_POLICY
              ? List.of("kubectl gpu explain policy", "it has a status beside a ClusterPolicy only")
              : operator("");
      case "Ignored" ->
          List.of("if it is the one to go: kubectl delete clusterpolicy " + policy.name());
      case "PrerequisiteNotMet" ->
          List.of(
              "delete one of the two, such as: kubectl delete %s %s"
                  .formatted(policy.kind().resource(), policy.name()));
      case "ReconcileFailed" ->
          isRetried()
              ? Stream.concat(Stream.of("do what the message says"), operator("").stream()).toList()
              : List.of(
                  "correct it as the message says, in the Helm values, or by: kubectl edit %s %s"
                      .formatted(policy.kind().resource(), policy.name()));
      case "OperandNotReady" -> behind();
      default ->
          List.of("kubectl describe %s %s".formatted(policy.kind().resource(), policy.name()));
    };
  }

  /// What to look at where operands are not ready: first nodes, which say most.
  private List<String> behind() {
    Optional<String> node =
        groups.stream()
            .filter(it -> !it.reason().equals(GPU_UNHEALTHY))
            .map(it -> it.examples().getFirst())
            .findFirst();
    String place = policy.namespace().isEmpty() ? "-A" : "-n " + policy.namespace();
    return List.of(
        node.map(it -> "kubectl gpu explain node " + it)
            .orElse("kubectl get pods %s -o wide".formatted(place)),
        "to wait until it is ready: kubectl gpu status --wait");
  }

  private List<String> operator(String when) {
    return List.of(
        when + "the operator's pod: kubectl get pods -A -l app=gpu-operator",
        policy.namespace().isEmpty()
            ? "its log: kubectl logs -n gpu-operator deploy/gpu-operator --tail=50"
            : "its log: kubectl logs -n %s deploy/gpu-operator --tail=50"
                .formatted(policy.namespace()));
  }

  private boolean isRetried() {
    return policy.verdict().filter(it -> it.message().contains(RETRIED)).isPresent();
  }

  /// The operator joins what it has to say by semicolons.
  private static List<String> clauses(String message) {
    List<String> all = Arrays.stream(message.split("; ", -1)).filter(it -> !it.isBlank()).toList();
    var some = new ArrayList<>(all.stream().limit(MOST).toList());
    if (all.size() > MOST) {
      some.add("and %d more".formatted(all.size() - MOST));
    }
    return some;
  }

  private static <T> void addBounded(
      List<Step> steps, List<T> all, Function<T, Step> step, String command) {
    all.stream().limit(MOST).map(step).forEach(steps::add);
    if (all.size() > MOST) {
      steps.add(
          step(Mark.NOTE, "and %d more such lines: %s".formatted(all.size() - MOST, command)));
    }
  }

  private static Step step(Mark mark, String text) {
    return new Step(mark, text, List.of());
  }
}
