package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.nvidiadriver.NvidiaDriverSpec;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.cluster.DriverPool;
import dev.pitcrew.operator.cluster.OpenShift;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.RenderContext;
import java.util.Map;
import java.util.Optional;

/// An NVIDIADriver on one pool of its nodes.
///
/// @param name of the NVIDIADriver
/// @param uid of the NVIDIADriver
/// @param content digest of the ConfigMaps and Secrets that it refers to, if an edit of theirs is
///   to reach running drivers, else empty
/// @param hostRoot where the root of the host is on the host, as the ClusterPolicy writes it; empty
///   means `/`
public record PooledDriver(
    String name,
    String uid,
    NvidiaDriverSpec spec,
    String content,
    DriverPool pool,
    String hostRoot,
    ClusterFacts facts,
    Images images) {

  public DriverNames names() {
    return DriverNames.of(spec.driverTypeOrDefault(), name, uid, pool);
  }

  /// Whether its driver manager is the operator's choice.
  public boolean hasDefaultManager() {
    return images.isDefault(settings().managerImage());
  }

  /// The same with another choice.
  public PooledDriver withDefaultManager(String image) {
    return new PooledDriver(
        name,
        uid,
        spec,
        content,
        pool,
        hostRoot,
        facts,
        images.with(DriverSettings.DEFAULT_MANAGER, image));
  }

  boolean isHostManager() {
    return spec.driverTypeOrDefault().equals(DriverNames.HOST_MANAGER);
  }

  /// What OpenShift's driver toolkit needs; empty if there is no image of it.
  Optional<OpenShift> openShift() {
    return facts
        .openShift()
        .filter(_ -> !spec.isPrecompiled())
        .filter(cluster -> !cluster.driverToolkitImages().orElse(Map.of()).isEmpty());
  }

  String component() {
    return isHostManager() ? DriverShape.HOST_MANAGER : DriverShape.COMPONENT;
  }

  DriverSettings settings() {
    return DriverSettings.of(spec);
  }

  DriverVariant variant() {
    return new DriverVariant(
        "",
        pool.selector(),
        pool.os(),
        pool.kernel(),
        openShift().flatMap(_ -> pool.coreOsRelease()));
  }

  /// The ClusterPolicy's settings of DaemonSets are not for this one.
  RenderContext context() {
    return new RenderContext(ClusterPolicySpec.ABSENT, facts, images);
  }
}
