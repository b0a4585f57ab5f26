package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.core.rollout.RolloutWords;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// What says which driver nodes get: the ClusterPolicy in force, or an NVIDIADriver.
///
/// @param observed whether the operator has looked at it as it is now
/// @param refusal why the operator does not carry it out; empty where it does
/// @param unattended why it does not upgrade drivers automatically; empty where it does
/// @param version of the driver that it asks for
/// @param image repository and name of the image that it asks for, where it says both
public record DriverSource(
    boolean isClusterPolicy,
    String name,
    boolean observed,
    String refusal,
    String unattended,
    String version,
    String image) {

  /// The ClusterPolicy that counts, which is the oldest.
  static Optional<Json> inForce(List<Json> policies) {
    return policies.stream()
        .filter(it -> it.at("metadata", "deletionTimestamp").isEmpty())
        .min(
            Comparator.comparing((Json it) -> it.at("metadata", "creationTimestamp").text())
                .thenComparing(it -> it.at("metadata", "name").text()));
  }

  static boolean leavesDriversToOthers(Json policy) {
    return policy.at("spec", "driver", "useNvidiaDriverCRD").isTrue();
  }

  static DriverSource ofPolicy(Json policy) {
    Json driver = policy.at("spec", "driver");
    String unattended =
        policy.at("spec", "sandboxWorkloads", "enabled").isTrue()
            ? RolloutWords.SANDBOX
            : driver.at("upgradePolicy", "autoUpgrade").isTrue() ? "" : RolloutWords.NOT_ASKED;
    return of(true, policy, driver, unattended);
  }

  /// Of an NVIDIADriver, which upgrades unless it says otherwise.
  static DriverSource ofDriver(Json driver) {
    boolean isOff = driver.at("spec", "upgradePolicy", "autoUpgrade").value().equals(false);
    return of(false, driver, driver.at("spec"), isOff ? RolloutWords.NOT_ASKED : "");
  }

  /// Such as `ClusterPolicy cluster-policy`.
  public String title() {
    return (isClusterPolicy ? "ClusterPolicy " : "NVIDIADriver ") + name;
  }

  private static DriverSource of(
      boolean isClusterPolicy, Json object, Json driver, String unattended) {
    long generation = object.at("metadata", "generation").number();
    List<Json> conditions = object.at("status", "conditions").items();
    String image = driver.at("image").text();
    String repository = driver.at("repository").text();
    return new DriverSource(
        isClusterPolicy,
        object.at("metadata", "name").text(),
        !conditions.isEmpty()
            && conditions.stream()
                .allMatch(it -> it.at("observedGeneration").number() >= generation),
        conditions.stream()
            .filter(it -> it.at("status").text().equals("True"))
            .filter(it -> RolloutWords.REFUSALS.contains(it.at("reason").text()))
            .map(it -> it.at("message").text())
            .findFirst()
            .orElse(""),
        unattended,
        driver.at("version").text(),
        image.isEmpty() || repository.isEmpty() ? "" : repository + "/" + image);
  }
}
