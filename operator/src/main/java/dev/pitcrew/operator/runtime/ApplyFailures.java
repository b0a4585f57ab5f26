package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.Backoff;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.operator.policy.ApplyFailure;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects that could not be applied, why, and when each is tried again. Until then the same
/// object costs no call: a policy is reconciled many times a minute while its pods come up.
///
/// For use by many threads.
final class ApplyFailures {
  /// When an object that was refused for long is tried again although nothing has changed: a quota
  /// or an admission policy may have, and no event reports it.
  static final Duration RETRY_REFUSED = Duration.ofSeconds(30);

  /// Between the failures and refusals of an object.
  private static final Backoff PAUSES = new Backoff(Duration.ofSeconds(1), RETRY_REFUSED);

  private static final Logger log = LoggerFactory.getLogger(ApplyFailures.class);

  private record Failure(HasMetadata object, Unapplied unapplied, int number, Instant since) {
    boolean stands(HasMetadata desired, Instant now) {
      return isOf(desired) && !now.isBefore(since) && now.isBefore(unapplied.retry());
    }

    boolean isOf(HasMetadata desired) {
      return object.equals(desired);
    }
  }

  private final InstantSource clock;
  private final Map<ObjectKey, Failure> failures = new ConcurrentHashMap<>();

  ApplyFailures(InstantSource clock) {
    this.clock = clock;
  }

  /// What came of the last attempt, if it is too early for another.
  Optional<Unapplied> standing(HasMetadata desired) {
    return Optional.ofNullable(failures.get(ObjectKey.of(desired)))
        .filter(failure -> failure.stands(desired, clock.instant()))
        .map(Failure::unapplied);
  }

  void forget(HasMetadata desired) {
    failures.remove(ObjectKey.of(desired));
  }

  Unapplied refused(HasMetadata desired, String message) {
    return keep(desired, ApplyFailure.refused(ObjectKey.of(desired).toString(), message));
  }

  Unapplied failed(HasMetadata desired, RuntimeException cause) {
    ObjectKey key = ObjectKey.of(desired);
    Unapplied kept = keep(desired, problem(key, cause));
    log.warn("{} could not be applied and is tried again at {}", key, kept.retry(), cause);
    return kept;
  }

  /// Something else about an object that is not as wanted, looked at again after a while.
  Unapplied other(HasMetadata desired, Problem problem) {
    return new Unapplied(ObjectKey.of(desired), problem, clock.instant().plus(RETRY_REFUSED));
  }

  private static Problem problem(ObjectKey key, RuntimeException cause) {
    return cause instanceof KubeException failure
        ? ApplyFailure.failed(key.toString(), failure.status(), failure.reason())
        : ApplyFailure.broken(key.toString(), cause);
  }

  private Unapplied keep(HasMetadata desired, Problem problem) {
    ObjectKey key = ObjectKey.of(desired);
    @Nullable Failure before = failures.get(key);
    int number = before != null && before.isOf(desired) ? before.number() + 1 : 1;
    Instant now = clock.instant();
    var unapplied = new Unapplied(key, problem, now.plus(PAUSES.ceiling(number)));
    failures.put(key, new Failure(desired, unapplied, number, now));
    return unapplied;
  }
}
