package dev.pitcrew.operator.driver;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.cluster.DriverPool;
import dev.pitcrew.operator.operand.driver.NvidiaDriverObjects;
import dev.pitcrew.operator.operand.driver.OwnManagerContainer;
import dev.pitcrew.operator.operand.driver.PooledDriver;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/// What one NVIDIADriver comes to.
public sealed interface DriverPlan {
  /// These objects must exist, and no others of its own.
  ///
  /// @param pooled it on each pool of its nodes
  /// @param unlabelled nodes that are or will be its own and are in no pool yet, by name
  record Wanted(
      List<PooledDriver> pooled,
      List<HasMetadata> resources,
      List<DaemonSet> daemonSets,
      SortedSet<String> unlabelled)
      implements DriverPlan {}

  /// Bad input: what runs stays as it is until that is fixed.
  record Refused(Problem problem) implements DriverPlan {}

  /// What it is planned by beside NVIDIADrivers.
  ///
  /// @param hostRoot where the root of the hosts is, as the ClusterPolicy writes it
  /// @param manager what makes nodes ready for a driver
  /// @param live DaemonSets as they are, by name
  record Surroundings(
      String hostRoot,
      ClusterFacts facts,
      Images images,
      OwnManagerContainer manager,
      Function<String, Optional<DaemonSet>> live) {
    private RenderContext context() {
      return new RenderContext(ClusterPolicySpec.ABSENT, facts, images);
    }

    private PooledDriver pooled(DriverResource driver, DriverPool pool) {
      return KeptManagerImage.in(
          new PooledDriver(
              driver.name(),
              driver.uid(),
              driver.spec(),
              driver.content(),
              pool,
              hostRoot,
              facts,
              images),
          live);
    }
  }

  static DriverPlan of(DriverResource driver, DriverFleet fleet, Surroundings surroundings) {
    DriverPools pools =
        DriverPools.of(driver, fleet.nodes(driver), surroundings.facts().isOpenShift());
    RenderContext context = surroundings.context();
    OwnManagerContainer manager = surroundings.manager();
    Optional<Problem> problem = DriverGuard.problem(driver, fleet, pools, context);
    if (problem.isPresent()) {
      return new Refused(problem.get());
    }
    List<PooledDriver> pooled =
        pools.pools().stream().map(pool -> surroundings.pooled(driver, pool)).toList();
    var unlabelled = new TreeSet<>(pools.unlabelled());
    unlabelled.addAll(fleet.due(driver));
    return new Wanted(
        pooled,
        manager.rightsIn(
            distinct(
                pooled.stream().flatMap(it -> NvidiaDriverObjects.account(it).stream()).toList()),
            context),
        manager.in(pooled.stream().map(NvidiaDriverObjects::daemonSet).toList(), context),
        unlabelled);
  }

  /// What the pods of all NVIDIADrivers share: one object of each name for all of them.
  static List<HasMetadata> shared(Collection<DriverPlan> plans) {
    return distinct(
        plans.stream()
            .flatMap(plan ->
                plan instanceof Wanted wanted
                    ? wanted.pooled().stream()
                    : Stream.<PooledDriver>empty())
            .flatMap(it -> NvidiaDriverObjects.shared(it).stream())
            .toList());
  }

  private static List<HasMetadata> distinct(List<HasMetadata> objects) {
    Map<ObjectKey, HasMetadata> byKey = new LinkedHashMap<>();
    objects.forEach(object -> byKey.putIfAbsent(ObjectKey.of(object), object));
    return List.copyOf(byKey.values());
  }
}
