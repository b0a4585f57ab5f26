package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.cluster.SchemaLimits;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.MigStatus;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.api.node.PodReference;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What is said of the division of the GPUs, where that is the agent's to do.
final class MigVerdict {
  /// What requires no action.
  private static final Set<String> UNDER_WAY = Set.of("Changing", "WaitingForPods", "EvictingPods");

  private MigVerdict() {}

  static Optional<Verdict> of(NodeFacts facts) {
    return facts.mig().map(MigVerdict::verdict);
  }

  private static Verdict verdict(MigFacts mig) {
    return switch (mig.phase()) {
      case UNKNOWN -> Verdict.notYet(NodeCondition.MIG_CONFIGURED, mig.message());
      case SUCCESS -> Verdict.yes(NodeCondition.MIG_CONFIGURED, mig.reason(), mig.message());
      case PENDING, REBOOTING, FAILED ->
          Verdict.no(NodeCondition.MIG_CONFIGURED, mig.reason(), mig.message());
    };
  }

  static MigStatus section(NodeFacts facts, MigStatus before) {
    return facts.mig().map(mig -> section(mig, before)).orElse(MigStatus.ABSENT);
  }

  private static MigStatus section(MigFacts mig, MigStatus before) {
    @Nullable String wanted = SchemaLimits.nameOrNull(mig.layout(), SchemaLimits.CONFIG);
    return switch (mig.phase()) {
      case UNKNOWN -> before;
      case SUCCESS -> new MigStatus(wanted, wanted, Absent.list(), Map.of());
      // What is still there is no layout that has a name.
      case PENDING, REBOOTING, FAILED -> new MigStatus(wanted, null, inTheWay(mig), Map.of());
    };
  }

  /// A pod without a UID is omitted: it cannot be distinguished from a later one of its name.
  private static List<PodReference> inTheWay(MigFacts mig) {
    List<PodReference> pods =
        mig.inTheWay().stream()
            .filter(pod -> !pod.uid().isEmpty())
            .map(pod -> new PodReference(pod.namespace(), pod.name(), pod.uid(), Map.of()))
            .limit(SchemaLimits.PODS)
            .toList();
    return pods.isEmpty() ? Absent.list() : pods;
  }

  /// Once for each turn.
  static Stream<NodeEvent> events(GpuNodeStatus before, GpuNodeStatus after) {
    Optional<Condition> last = before.condition(NodeCondition.MIG_CONFIGURED);
    return after.condition(NodeCondition.MIG_CONFIGURED).stream()
        .filter(now -> !now.status().equals(Verdict.UNKNOWN))
        .filter(now ->
            !now.isTrue() || last.filter(it -> !it.status().equals(Verdict.UNKNOWN)).isPresent())
        .filter(now ->
            last.filter(it -> it.status().equals(now.status()))
                .filter(it -> it.reason().equals(now.reason()))
                .isEmpty())
        .map(now ->
            now.isTrue() || UNDER_WAY.contains(now.reason())
                ? NodeEvent.normal(name(now), now.message())
                : NodeEvent.warning(name(now), now.message()));
  }

  /// Such as `MigChanging`; other reasons of a node may be called the same.
  private static String name(Condition now) {
    return now.isTrue() ? "MigConfigured" : "Mig" + now.reason();
  }
}
