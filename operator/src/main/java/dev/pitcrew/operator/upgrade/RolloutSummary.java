package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.fleetpolicy.FleetRollout;
import dev.pitcrew.api.fleetpolicy.FleetRolloutPhase;
import dev.pitcrew.api.fleetpolicy.RolloutBlocker;
import dev.pitcrew.api.fleetpolicy.WaveSpec;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Where the roll-out of all scopes stands, for the status of the FleetPolicy. Its size is bounded.
public final class RolloutSummary {
  private static final int MOST_BLOCKERS = 10;
  private static final int MOST_VERSIONS = 3;
  private static final int VERSION = 64;
  private static final int BLOCKER = 256;
  private static final int MESSAGE = 1024;

  /// How many nodes stand where; nodes of which nothing is known yet count nowhere.
  ///
  /// @param waiting those that still have to begin
  public record Counts(int done, int underWay, int waiting, int failed) {
    public static Counts of(Collection<UpgradePlan> plans) {
      List<UpgradeState> states =
          plans.stream()
              .flatMap(plan -> plan.nodes().stream())
              .map(node -> node.after().state())
              .toList();
      return new Counts(
          count(states, UpgradeState.DONE),
          (int) states.stream().filter(UpgradeState::isUnderWay).count(),
          count(states, UpgradeState.UPGRADE_REQUIRED),
          count(states, UpgradeState.FAILED));
    }

    private static int count(List<UpgradeState> states, UpgradeState state) {
      return (int) states.stream().filter(it -> it == state).count();
    }

    private boolean isOver() {
      return underWay == 0 && waiting == 0;
    }
  }

  /// A plan and what it was made from.
  public record Planned(FleetView view, UpgradePlan plan) {
    public static Planned of(FleetView view) {
      return new Planned(view, UpgradePlan.of(view));
    }

    private Stream<NodeUpgrade> nodes() {
      return plan.nodes().stream();
    }

    private Order order() {
      return new Order(view.rollout(), view.nodes(), view.now());
    }
  }

  private RolloutSummary() {}

  /// @param plans one for each scope; none where nothing is upgraded automatically
  /// @param versions of the drivers that are wanted
  public static FleetRollout of(List<Planned> plans, SortedSet<String> versions) {
    if (plans.isEmpty()) {
      return FleetRollout.IDLE;
    }
    Counts counts = Counts.of(plans.stream().map(Planned::plan).toList());
    FleetRolloutPhase phase = phase(plans, counts);
    return new FleetRollout(
        phase,
        text(version(versions)),
        counts.done(),
        counts.underWay(),
        counts.waiting(),
        counts.failed(),
        phase == FleetRolloutPhase.WAVE ? wave(plans).orElse(null) : null,
        text(cut(message(plans, phase), MESSAGE)),
        blockers(plans),
        null,
        Map.of());
  }

  private static FleetRolloutPhase phase(List<Planned> plans, Counts counts) {
    boolean isHalted = plans.stream().anyMatch(it -> it.plan().halt().isPresent());
    if (rejection(plans).isPresent()) {
      return FleetRolloutPhase.ROLLED_BACK;
    }
    if (counts.isOver()) {
      return counts.failed() == 0 ? FleetRolloutPhase.DONE : FleetRolloutPhase.FAILED;
    }
    if (counts.waiting() > 0 && isHalted) {
      return FleetRolloutPhase.HALTED;
    }
    if (counts.waiting() > 0 && plans.stream().anyMatch(it -> it.view().rollout().isPaused())) {
      return FleetRolloutPhase.PAUSED;
    }
    boolean isCanary = plans.stream().anyMatch(it -> it.order().canary(0).isPresent());
    return isCanary ? FleetRolloutPhase.CANARY : FleetRolloutPhase.WAVE;
  }

  private static String message(List<Planned> plans, FleetRolloutPhase phase) {
    return switch (phase) {
      case HALTED -> plans.stream().flatMap(it -> it.plan().halt().stream()).findFirst().orElse("");
      case ROLLED_BACK -> rejection(plans).orElse("");
      case PAUSED -> "none begins until FleetPolicy spec.rollout.paused is false";
      case IDLE, CANARY, WAVE, FAILED, DONE -> "";
    };
  }

  private static Optional<String> rejection(List<Planned> plans) {
    return plans.stream()
        .flatMap(Planned::nodes)
        .flatMap(node -> node.after().driver().stream())
        .flatMap(driver -> driver.rejection().stream())
        .findFirst();
  }

  private static Optional<String> wave(List<Planned> plans) {
    List<WaveSpec> waves = plans.getFirst().view().rollout().waves();
    return plans.stream()
        .flatMap(RolloutSummary::waves)
        .min(Comparator.naturalOrder())
        .filter(index -> index < waves.size())
        .map(index -> waves.get(index).name());
  }

  private static Stream<Integer> waves(Planned planned) {
    Order order = planned.order();
    return planned
        .nodes()
        .map(NodeUpgrade::after)
        .filter(node -> isAhead(node.state()) && !Order.isSkipped(node))
        .map(order::wave);
  }

  private static boolean isAhead(UpgradeState state) {
    return state.isUnderWay() || state == UpgradeState.UPGRADE_REQUIRED;
  }

  private static List<RolloutBlocker> blockers(List<Planned> plans) {
    return plans.stream()
        .flatMap(Planned::nodes)
        .filter(node -> isFailed(node) || node.after().state().isUnderWay())
        .sorted(
            Comparator.comparing((NodeUpgrade node) -> !isFailed(node))
                .thenComparing(NodeUpgrade::node))
        .limit(MOST_BLOCKERS)
        .map(node ->
            new RolloutBlocker(
                node.node(),
                node.after().state().phase(),
                text(cut(node.waiting().blocker(), BLOCKER)),
                Map.of()))
        .toList();
  }

  private static boolean isFailed(NodeUpgrade node) {
    return node.after().state() == UpgradeState.FAILED;
  }

  private static String version(SortedSet<String> versions) {
    String named =
        versions.stream()
            .limit(MOST_VERSIONS)
            .map(it -> cut(it, VERSION))
            .collect(Collectors.joining(", "));
    return versions.size() <= MOST_VERSIONS
        ? named
        : "%s and %d more".formatted(named, versions.size() - MOST_VERSIONS);
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most - 1) + "…";
  }

  private static @Nullable String text(String text) {
    return text.isEmpty() ? null : text;
  }
}
