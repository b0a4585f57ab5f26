package dev.pitcrew.operator.driver;

import dev.pitcrew.operator.operand.driver.NvidiaDriverObjects;
import dev.pitcrew.operator.operand.driver.OwnManagerContainer;
import dev.pitcrew.operator.operand.driver.PooledDriver;
import dev.pitcrew.operator.upgrade.Rollback;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The driver manager of an NVIDIADriver that names none. Its image comes with the operator, and
/// counts in the digest all the same: with each release of the operator, every driver would be
/// loaded again. So a DaemonSet keeps the image that it was made with for as long as nothing else
/// of the digest changes.
final class KeptManagerImage {
  private KeptManagerImage() {}

  /// The same NVIDIADriver with the driver manager that it is to have.
  ///
  /// @param live DaemonSets by name
  static PooledDriver in(PooledDriver driver, Function<String, Optional<DaemonSet>> live) {
    return driver.hasDefaultManager()
        ? live.apply(driver.names().app())
            .filter(daemonSet -> isOf(driver, daemonSet))
            .flatMap(daemonSet -> madeWith(daemonSet, driver))
            .orElse(driver)
        : driver;
  }

  private static boolean isOf(PooledDriver driver, DaemonSet daemonSet) {
    return daemonSet.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> owner.getUid().equals(driver.uid()));
  }

  /// The NVIDIADriver with the image of the DaemonSet, if that installs the same, or what failed
  /// and must not be tried again for the image alone.
  private static Optional<PooledDriver> madeWith(DaemonSet live, PooledDriver driver) {
    Set<String> known =
        Stream.concat(digest(live).stream(), rejected(live).stream()).collect(Collectors.toSet());
    return OwnManagerContainer.configuredImage(live)
        .map(driver::withDefaultManager)
        .filter(former ->
            digest(NvidiaDriverObjects.daemonSet(former)).filter(known::contains).isPresent());
  }

  private static Optional<String> rejected(DaemonSet live) {
    return Optional.ofNullable(live.getMetadata().getAnnotations())
        .flatMap(Rollback::of)
        .map(Rollback::rejected);
  }

  private static Optional<String> digest(DaemonSet daemonSet) {
    return Adoption.digestOf(daemonSet);
  }
}
