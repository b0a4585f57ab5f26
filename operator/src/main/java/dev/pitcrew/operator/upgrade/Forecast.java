package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.fleetpolicy.WaveSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What a roll-out would do from now on: the plan itself, simulated on a copy of the nodes, on
/// which everything succeeds at once. Time passes only where the plan waits for it, so that it
/// shows the order of the nodes, and not when the last one is done.
///
/// @param nodes all that want another driver or are under way, in the order in which they begin;
///   last those that do not
/// @param halt why no node begins, if the roll-out is halted
public record Forecast(List<Expected> nodes, int batches, Optional<String> halt) {
  /// A plan that changes nothing for so many windows and soaks in a row changes nothing any more.
  private static final int MOST_ROUNDS = 10_000;

  /// What is expected of a node.
  ///
  /// @param group `canary`, or the name of its wave; empty where neither is set
  /// @param batch with which others it begins, from one; empty if it does not, and zero for one
  ///   that has begun already
  /// @param at when it may begin at the earliest
  /// @param waiting what it waits for now; nothing if it begins at once
  /// @param heldUpBy what would keep its pods from leaving, as they are now
  public record Expected(
      UpgradeNode node,
      String group,
      Optional<Integer> batch,
      Optional<Instant> at,
      Waiting waiting,
      Optional<String> heldUpBy) {}

  public Forecast {
    nodes = List.copyOf(nodes);
  }

  /// @param view with the pods of each node, as far as they are known
  public static Forecast of(FleetView view) {
    return new Play(view).run();
  }

  private static final class Play {
    private final FleetView start;
    private final Map<String, Expected> begun = new HashMap<>();
    private FleetView view;
    private int batch;

    Play(FleetView start) {
      this.start = start;
      this.view =
          at(
              start.now(),
              start.nodes().stream().map(node -> node.withPods(Optional.of(List.of()))).toList());
    }

    Forecast run() {
      UpgradePlan first = UpgradePlan.of(view);
      Map<String, NodeUpgrade> now = byName(first);
      UpgradePlan plan = first;
      for (int round = 0; round < MOST_ROUNDS; round++) {
        take(plan, now);
        List<UpgradeNode> next = plan.nodes().stream().map(it -> succeeded(it.after())).toList();
        boolean moved = !Set.copyOf(next).equals(Set.copyOf(view.nodes()));
        if (!moved && plan.wake().isEmpty()) {
          break;
        }
        view = at(moved ? view.now() : plan.wake().orElseThrow(), next);
        plan = UpgradePlan.of(view);
      }
      List<Expected> expected = new ArrayList<>(begun.values());
      plan.nodes().stream()
          .filter(it -> !begun.containsKey(it.node()))
          .forEach(it -> left(it).ifPresent(expected::add));
      expected.sort(
          Comparator.comparing((Expected it) -> it.batch().orElse(Integer.MAX_VALUE))
              .thenComparing(it -> it.node().name()));
      return new Forecast(expected, batch, first.halt());
    }

    /// Notes who begins with this plan.
    private void take(UpgradePlan plan, Map<String, NodeUpgrade> now) {
      List<NodeUpgrade> starting =
          plan.nodes().stream()
              .filter(it -> it.after().isUnderWay() && !begun.containsKey(it.node()))
              .toList();
      boolean canary = isCanary();
      boolean isNew = starting.stream().anyMatch(it -> !it.before().isUnderWay());
      batch += isNew ? 1 : 0;
      for (NodeUpgrade upgrade : starting) {
        UpgradeNode node = upgrade.before();
        boolean before = node.isUnderWay();
        NodeUpgrade forecast = now.getOrDefault(upgrade.node(), upgrade);
        begun.put(
            node.name(),
            new Expected(
                original(node.name()),
                canary && !before ? "canary" : wave(node),
                Optional.of(before ? 0 : batch),
                Optional.of(view.now()),
                !before && forecast.after().isUnderWay() ? Waiting.NONE : forecast.waiting(),
                heldUpBy(original(node.name()))));
      }
    }

    private Optional<Expected> left(NodeUpgrade upgrade) {
      UpgradeState state = upgrade.after().state();
      return state == UpgradeState.UPGRADE_REQUIRED || state == UpgradeState.FAILED
          ? Optional.of(
              new Expected(
                  original(upgrade.node()),
                  wave(upgrade.after()),
                  Optional.empty(),
                  Optional.empty(),
                  upgrade.waiting(),
                  Optional.empty()))
          : Optional.empty();
    }

    private FleetView at(Instant now, List<UpgradeNode> nodes) {
      return new FleetView(nodes, start.policy(), start.rollout(), start.obstacles(), now);
    }

    /// What a node comes to whose pods leave, and whose new driver runs and is validated.
    private static UpgradeNode succeeded(UpgradeNode node) {
      if (!node.isUnderWay()) {
        return node;
      }
      return node.withDriver(Optional.of(node.driver().orElse(DriverPod.NONE).installed()))
          .validated();
    }

    /// Asks the plan what it would do if the node was to be freed of its pods now.
    private Optional<String> heldUpBy(UpgradeNode node) {
      if (node.pods().isEmpty()) {
        return Optional.empty();
      }
      UpgradeNode emptied = node.cordoned().in(UpgradeState.POD_DELETION_REQUIRED, start.now());
      UpgradeNode after =
          UpgradePlan.of(
                  new FleetView(
                      List.of(emptied),
                      start.policy(),
                      start.rollout(),
                      Obstacles.NONE,
                      start.now()))
              .nodes()
              .getFirst()
              .after();
      return after.state() == UpgradeState.FAILED
          ? after.marks().failure().map(UpgradeFailure::message)
          : node.holders().stream()
              .flatMap(List::stream)
              .flatMap(pod -> pod.refusal().stream())
              .findFirst();
    }

    private boolean isCanary() {
      var health = new Health(view.rollout(), view.now());
      List<UpgradeNode> all = view.nodes().stream().filter(node -> !Order.isSkipped(node)).toList();
      int wanted = Math.min(view.rollout().canary().nodesOrDefault(), all.size());
      long proven =
          all.stream()
              .flatMap(node -> health.soaked(node, view.rollout().canary().soak()).stream())
              .filter(at -> !at.isAfter(view.now()))
              .count();
      return proven < wanted;
    }

    private String wave(UpgradeNode node) {
      List<WaveSpec> waves = view.rollout().waves();
      int wave = new Order(view.rollout(), view.nodes(), view.now()).wave(node);
      return waves.isEmpty() ? "" : wave < waves.size() ? waves.get(wave).name() : "rest";
    }

    private UpgradeNode original(String name) {
      return start.nodes().stream()
          .filter(node -> node.name().equals(name))
          .findFirst()
          .orElseThrow();
    }

    private static Map<String, NodeUpgrade> byName(UpgradePlan plan) {
      Map<String, NodeUpgrade> nodes = new HashMap<>();
      plan.nodes().forEach(node -> nodes.put(node.node(), node));
      return nodes;
    }
  }
}
