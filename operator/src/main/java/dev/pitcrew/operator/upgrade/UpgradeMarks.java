package dev.pitcrew.operator.upgrade;

import dev.pitcrew.core.names.NodeLabels;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What is recorded on a node beside its state, in annotations: those of the NVIDIA GPU Operator,
/// by which its users steer and watch an upgrade, and ours. All that an upgrade has to remember is
/// here, so that a new operator continues where the last one was.
///
/// @param notes the annotations themselves, and none of another purpose
public record UpgradeMarks(Map<String, String> notes) {
  private static final String PREFIX = "nvidia.com/gpu-driver-upgrade";
  public static final String REQUESTED = NodeLabels.UPGRADE_REQUESTED;
  public static final String SAFE_LOAD = PREFIX + ".driver-wait-for-safe-load";
  public static final String WAS_UNSCHEDULABLE = PREFIX + ".node-initial-state.unschedulable";
  public static final String JOBS_SINCE = PREFIX + "-wait-for-pod-completion-start-time";
  public static final String VALIDATION_SINCE = PREFIX + "-validation-start-time";

  /// Ours: who cordoned the node, which the NVIDIA GPU Operator does not record.
  public static final String CORDONED = "pitcrew.dev/driver-upgrade-cordoned";

  /// Ours: when the node entered its state, for deadlines that outlive an operator.
  public static final String SINCE = "pitcrew.dev/driver-upgrade-since";

  /// Ours: stage, digest and message of a failure.
  public static final String FAILURE = "pitcrew.dev/driver-upgrade-failure";

  /// Ours: the node was upgraded though it had the driver that was wanted.
  public static final String SAME_DRIVER = "pitcrew.dev/driver-upgrade-same-driver";

  /// Ours: how often its pods were evicted in vain, as others did not go.
  public static final String TRIES = "pitcrew.dev/driver-upgrade-tries";

  private static final Set<String> ALL =
      Set.of(
          REQUESTED,
          SAFE_LOAD,
          WAS_UNSCHEDULABLE,
          JOBS_SINCE,
          VALIDATION_SINCE,
          CORDONED,
          SINCE,
          FAILURE,
          SAME_DRIVER,
          TRIES);

  /// Those that outlast an upgrade.
  private static final Set<String> LASTING = Set.of(SINCE, SAME_DRIVER);

  private static final String TRUE = "true";

  /// A node with more tries has had the longest pause for a long time.
  private static final int MOST_TRIES = 1000;

  /// A later time is not a recorded one, and deadlines cannot be computed from it.
  private static final Instant LAST = Instant.parse("9999-01-01T00:00:00Z");

  /// Nothing noted.
  public static final UpgradeMarks NONE = new UpgradeMarks(Map.of());

  public UpgradeMarks {
    notes = Map.copyOf(notes);
  }

  /// Takes them from all annotations of a node.
  public static UpgradeMarks of(Map<String, String> annotations) {
    return new UpgradeMarks(
        annotations.entrySet().stream()
            .filter(annotation -> ALL.contains(annotation.getKey()))
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  /// Whether an annotation stays on a node when its upgrade is over: when that was, and whether it
  /// was one to another driver.
  public static boolean isLasting(String annotation) {
    return LASTING.contains(annotation);
  }

  /// The annotations to write to come from `before` to this: only those that differ, null for one
  /// that goes.
  Map<String, @Nullable String> changedFrom(UpgradeMarks before) {
    Map<String, @Nullable String> changes = new HashMap<>();
    for (String key : ALL) {
      if (!Objects.equals(before.notes.get(key), notes.get(key))) {
        changes.put(key, notes.get(key));
      }
    }
    return changes;
  }

  /// Whether this upgrade, and no other program, cordoned the node.
  public boolean cordoned() {
    return is(CORDONED);
  }

  /// Whether the node was cordoned before, and stays so.
  boolean wasUnschedulable() {
    return is(WAS_UNSCHEDULABLE);
  }

  /// Whether a user asks for an upgrade whatever the digest says.
  boolean requested() {
    return is(REQUESTED);
  }

  /// Whether the driver holds back until the node is free of pods; any text says so.
  boolean waitsForSafeLoad() {
    return !notes.getOrDefault(SAFE_LOAD, "").isEmpty();
  }

  /// Since when running jobs are waited for.
  Optional<Instant> jobsSince() {
    return seconds(JOBS_SINCE);
  }

  /// Since when the new driver is validated.
  Optional<Instant> validationSince() {
    return seconds(VALIDATION_SINCE);
  }

  /// When the node entered its state.
  public Optional<Instant> since() {
    try {
      return Optional.ofNullable(notes.get(SINCE)).map(Instant::parse).filter(LAST::isAfter);
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /// What happened to a node that failed.
  Optional<UpgradeFailure> failure() {
    return Optional.ofNullable(notes.get(FAILURE)).flatMap(UpgradeFailure::of);
  }

  /// How often its pods were evicted in vain; zero where that cannot be read.
  int tries() {
    try {
      return Math.clamp(Integer.parseInt(notes.getOrDefault(TRIES, "0")), 0, MOST_TRIES);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /// Whether the last upgrade of the node, or the one under way, is not to another driver, so that
  /// its outcome says nothing about the driver.
  boolean sameDriver() {
    return is(SAME_DRIVER);
  }

  /// What is left of them once the upgrade is over: when that was, and whether it was one.
  UpgradeMarks remembered() {
    return LASTING.containsAll(notes.keySet())
        ? this
        : new UpgradeMarks(
            notes.entrySet().stream()
                .filter(note -> LASTING.contains(note.getKey()))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  UpgradeMarks withSameDriver(boolean value) {
    return withFlag(SAME_DRIVER, value);
  }

  UpgradeMarks withCordoned(boolean value) {
    return withFlag(CORDONED, value);
  }

  UpgradeMarks withWasUnschedulable(boolean value) {
    return withFlag(WAS_UNSCHEDULABLE, value);
  }

  UpgradeMarks withRequested(boolean value) {
    return withFlag(REQUESTED, value);
  }

  UpgradeMarks withSafeLoad(boolean value) {
    return value == waitsForSafeLoad() ? this : withFlag(SAFE_LOAD, value);
  }

  UpgradeMarks withJobsSince(Optional<Instant> value) {
    return with(JOBS_SINCE, value.map(UpgradeMarks::seconds));
  }

  UpgradeMarks withValidationSince(Optional<Instant> value) {
    return with(VALIDATION_SINCE, value.map(UpgradeMarks::seconds));
  }

  UpgradeMarks withSince(Optional<Instant> value) {
    return with(SINCE, value.map(Instant::toString));
  }

  UpgradeMarks withFailure(Optional<UpgradeFailure> value) {
    return with(FAILURE, value.map(UpgradeFailure::text));
  }

  UpgradeMarks withTries(int value) {
    return with(TRIES, Optional.of(value).filter(it -> it > 0).map(String::valueOf));
  }

  private boolean is(String key) {
    return TRUE.equals(notes.get(key));
  }

  private UpgradeMarks withFlag(String key, boolean value) {
    return with(key, value ? Optional.of(TRUE) : Optional.empty());
  }

  private UpgradeMarks with(String key, Optional<String> value) {
    var next = new HashMap<>(notes);
    value.ifPresentOrElse(text -> next.put(key, text), () -> next.remove(key));
    return new UpgradeMarks(next);
  }

  private static String seconds(Instant instant) {
    return Long.toString(instant.getEpochSecond());
  }

  /// One that cannot be read counts as absent.
  private Optional<Instant> seconds(String key) {
    try {
      return Optional.ofNullable(notes.get(key))
          .map(Long::parseLong)
          .map(Instant::ofEpochSecond)
          .filter(LAST::isAfter);
    } catch (NumberFormatException | DateTimeException e) {
      return Optional.empty();
    }
  }
}
