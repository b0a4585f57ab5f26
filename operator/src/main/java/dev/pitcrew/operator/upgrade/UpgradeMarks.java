package dev.pitcrew.operator.upgrade;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What is noted on a node beside its state, in annotations: those of the reference, by which its
/// users steer and watch an upgrade, and three of ours. All that an upgrade has to remember lies
/// here, so that a new operator goes on where the last one was.
///
/// @param cordoned the node was cordoned for this upgrade, and by nobody else
/// @param wasUnschedulable the node was cordoned before, and stays so
/// @param requested a user asks for an upgrade whatever the digest says
/// @param waitsForSafeLoad the driver holds back until the node is free of pods
/// @param jobsSince since when running jobs are waited for
/// @param validationSince since when the new driver is validated
/// @param since when the node entered its state
/// @param failure what happened to a node that failed
public record UpgradeMarks(
    boolean cordoned,
    boolean wasUnschedulable,
    boolean requested,
    boolean waitsForSafeLoad,
    Optional<Instant> jobsSince,
    Optional<Instant> validationSince,
    Optional<Instant> since,
    Optional<UpgradeFailure> failure) {

  public static final String PREFIX = "nvidia.com/gpu-driver-upgrade";
  public static final String REQUESTED = PREFIX + "-requested";
  public static final String SAFE_LOAD = PREFIX + ".driver-wait-for-safe-load";
  public static final String WAS_UNSCHEDULABLE = PREFIX + ".node-initial-state.unschedulable";
  public static final String JOBS_SINCE = PREFIX + "-wait-for-pod-completion-start-time";
  public static final String VALIDATION_SINCE = PREFIX + "-validation-start-time";

  /// Ours: who cordoned the node, which the reference does not note.
  public static final String CORDONED = "pitcrew.dev/driver-upgrade-cordoned";

  /// Ours: when the node entered its state, for deadlines that outlive an operator.
  public static final String SINCE = "pitcrew.dev/driver-upgrade-since";

  /// Ours: stage, digest and message of a failure.
  public static final String FAILURE = "pitcrew.dev/driver-upgrade-failure";

  /// Nothing noted.
  public static final UpgradeMarks NONE = of(Map.of());

  /// Reads the annotations of a node. One that cannot be read counts as absent.
  public static UpgradeMarks of(Map<String, String> annotations) {
    return new UpgradeMarks(
        "true".equals(annotations.get(CORDONED)),
        "true".equals(annotations.get(WAS_UNSCHEDULABLE)),
        "true".equals(annotations.get(REQUESTED)),
        !annotations.getOrDefault(SAFE_LOAD, "").isEmpty(),
        seconds(annotations.get(JOBS_SINCE)),
        seconds(annotations.get(VALIDATION_SINCE)),
        instant(annotations.get(SINCE)),
        Optional.ofNullable(annotations.get(FAILURE)).flatMap(UpgradeFailure::of));
  }

  /// The annotations to write to come from `before` to this: only those that differ, null for one
  /// that goes.
  Map<String, @Nullable String> changedFrom(UpgradeMarks before) {
    Map<String, @Nullable String> changes = new HashMap<>();
    flag(changes, CORDONED, before.cordoned, cordoned);
    flag(changes, WAS_UNSCHEDULABLE, before.wasUnschedulable, wasUnschedulable);
    flag(changes, REQUESTED, before.requested, requested);
    flag(changes, SAFE_LOAD, before.waitsForSafeLoad, waitsForSafeLoad);
    text(
        changes,
        JOBS_SINCE,
        before.jobsSince.map(UpgradeMarks::text),
        jobsSince.map(UpgradeMarks::text));
    text(
        changes,
        VALIDATION_SINCE,
        before.validationSince.map(UpgradeMarks::text),
        validationSince.map(UpgradeMarks::text));
    text(changes, SINCE, before.since.map(Instant::toString), since.map(Instant::toString));
    text(
        changes,
        FAILURE,
        before.failure.map(UpgradeFailure::text),
        failure.map(UpgradeFailure::text));
    return changes;
  }

  UpgradeMarks withCordoned(boolean value) {
    return new UpgradeMarks(
        value,
        wasUnschedulable,
        requested,
        waitsForSafeLoad,
        jobsSince,
        validationSince,
        since,
        failure);
  }

  UpgradeMarks withWasUnschedulable(boolean value) {
    return new UpgradeMarks(
        cordoned, value, requested, waitsForSafeLoad, jobsSince, validationSince, since, failure);
  }

  UpgradeMarks withRequested(boolean value) {
    return new UpgradeMarks(
        cordoned,
        wasUnschedulable,
        value,
        waitsForSafeLoad,
        jobsSince,
        validationSince,
        since,
        failure);
  }

  UpgradeMarks withSafeLoad(boolean value) {
    return new UpgradeMarks(
        cordoned, wasUnschedulable, requested, value, jobsSince, validationSince, since, failure);
  }

  UpgradeMarks withJobsSince(Optional<Instant> value) {
    return new UpgradeMarks(
        cordoned,
        wasUnschedulable,
        requested,
        waitsForSafeLoad,
        value,
        validationSince,
        since,
        failure);
  }

  UpgradeMarks withValidationSince(Optional<Instant> value) {
    return new UpgradeMarks(
        cordoned, wasUnschedulable, requested, waitsForSafeLoad, jobsSince, value, since, failure);
  }

  UpgradeMarks withSince(Optional<Instant> value) {
    return new UpgradeMarks(
        cordoned,
        wasUnschedulable,
        requested,
        waitsForSafeLoad,
        jobsSince,
        validationSince,
        value,
        failure);
  }

  UpgradeMarks withFailure(Optional<UpgradeFailure> value) {
    return new UpgradeMarks(
        cordoned,
        wasUnschedulable,
        requested,
        waitsForSafeLoad,
        jobsSince,
        validationSince,
        since,
        value);
  }

  private static void flag(
      Map<String, @Nullable String> changes, String key, boolean before, boolean after) {
    text(
        changes,
        key,
        before ? Optional.of("true") : Optional.empty(),
        after ? Optional.of("true") : Optional.empty());
  }

  private static void text(
      Map<String, @Nullable String> changes,
      String key,
      Optional<String> before,
      Optional<String> after) {
    if (!before.equals(after)) {
      changes.put(key, after.orElse(null));
    }
  }

  private static String text(Instant instant) {
    return Long.toString(instant.getEpochSecond());
  }

  private static Optional<Instant> seconds(@Nullable String text) {
    try {
      return Optional.ofNullable(text).map(Long::parseLong).map(Instant::ofEpochSecond);
    } catch (NumberFormatException | DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<Instant> instant(@Nullable String text) {
    try {
      return Optional.ofNullable(text).map(Instant::parse);
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
