package dev.pitcrew.cli.console;

import dev.pitcrew.cli.plan.Attention;
import dev.pitcrew.cli.plan.FleetStatus;
import dev.pitcrew.cli.plan.FleetTile;
import dev.pitcrew.cli.plan.Holdings;
import dev.pitcrew.cli.plan.PendingGroup;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The fleet, or what has changed of it.
///
/// @param read whether the first lists have been answered
/// @param pending pods that do not run yet; empty where the user may not list pods
/// @param tiles all nodes, or those that have changed
/// @param gone names of nodes that are no longer there; only of a change
public record FleetView(
    boolean read,
    List<Snapshot.Problem> problems,
    FleetStatus status,
    Optional<Integer> pending,
    List<Attention> attention,
    List<FleetTile> tiles,
    List<String> gone) {

  static FleetView of(Snapshot snapshot, boolean read) {
    Optional<Holdings> holdings = snapshot.holdings();
    return new FleetView(
        read,
        snapshot.problems(),
        FleetStatus.of(
            snapshot.policies().stream().filter(it -> !it.isOfFleet()).toList(),
            snapshot.nodes(),
            holdings),
        snapshot.pods().map(it -> PendingGroup.waiting(it).size()),
        Attention.of(snapshot.policies(), snapshot.nodes(), holdings, snapshot.now()),
        FleetTile.of(snapshot.nodes(), snapshot.kubeNodes(), holdings),
        List.of());
  }

  /// The same, with only those nodes that differ from before.
  FleetView since(FleetView before) {
    Map<String, FleetTile> known = new HashMap<>();
    before.tiles().forEach(it -> known.put(it.node().name(), it));
    List<FleetTile> changed =
        tiles.stream().filter(it -> !it.equals(known.get(it.node().name()))).toList();
    var missing = new HashSet<>(known.keySet());
    tiles.forEach(it -> missing.remove(it.node().name()));
    return new FleetView(read, problems, status, pending, attention, changed, List.copyOf(missing));
  }
}
