package dev.pitcrew.kube.lease;

import static java.net.HttpURLConnection.HTTP_CONFLICT;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.apply.Verb;
import dev.pitcrew.kube.apply.Writes;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The Lease object: one attempt at a time to take, keep or give it up. Each write names the
/// version that it replaces, so that of two attempts at once one fails.
final class LeaseRecord {

  private static final int RELEASE_ATTEMPTS = 5;

  private final KubernetesClient client;
  private final Writes writes;
  private final LeaseOptions options;
  private final InstantSource clock;
  private final ReentrantLock attempting = new ReentrantLock();
  private @Nullable Lease known;
  private long changedAtNanos;

  LeaseRecord(KubernetesClient client, Writes writes, LeaseOptions options, InstantSource clock) {
    this.client = client;
    this.writes = writes;
    this.options = options;
    this.clock = clock;
  }

  /// Takes or renews the lease.
  ///
  /// @return whether we hold it now
  boolean hold() throws InterruptedException {
    attempting.lockInterruptibly(); // an attempt that was given up may still be under way
    try {
      return tryHold();
    } finally {
      attempting.unlock();
    }
  }

  private boolean tryHold() {
    @Nullable Lease current = isOurs(known) ? known : look().orElse(null);
    if (current == null) {
      return write(
          Verb.CREATE, new LeaseBuilder().withNewMetadata().endMetadata().build(), taken(null));
    }
    return isFree(current) && write(Verb.UPDATE, current, taken(current.getSpec()));
  }

  /// Gives the lease up, so that the next holder need not wait for it to run out. An attempt to
  /// renew it that was given up may still have changed it, or change it meanwhile; so it is read
  /// first, and again after a conflict.
  ///
  /// @return whether it is free of us now
  boolean release() throws InterruptedException {
    attempting.lockInterruptibly();
    try {
      boolean released = false;
      for (int attempt = 0; !released && attempt < RELEASE_ATTEMPTS; attempt++) {
        released = look().filter(this::isOurs).map(this::free).orElse(true);
      }
      return released;
    } finally {
      attempting.unlock();
    }
  }

  private boolean free(Lease lease) {
    var free = new LeaseSpec();
    free.setLeaseDurationSeconds(1);
    free.setLeaseTransitions(lease.getSpec().getLeaseTransitions());
    return write(Verb.UPDATE, lease, free);
  }

  /// Reads the lease. The time of the holder's last renewal is taken from our own clock, when we
  /// see a change: clocks of two machines may differ.
  private Optional<Lease> look() {
    @Nullable Lease seen =
        client.leases().inNamespace(options.namespace()).withName(options.name()).get();
    if (seen != null && seen.getSpec() == null) {
      seen.setSpec(new LeaseSpec());
    }
    if (seen != null && (known == null || !seen.getSpec().equals(known.getSpec()))) {
      changedAtNanos = System.nanoTime();
    }
    known = seen;
    return Optional.ofNullable(seen);
  }

  private boolean isFree(Lease lease) {
    @Nullable String holder = lease.getSpec().getHolderIdentity();
    if (holder == null || holder.isEmpty() || isOurs(lease)) {
      return true;
    }
    @Nullable Integer seconds = lease.getSpec().getLeaseDurationSeconds();
    Duration duration = seconds == null ? options.lease() : Duration.ofSeconds(seconds);
    return System.nanoTime() - changedAtNanos > duration.toNanos();
  }

  private boolean isOurs(@Nullable Lease lease) {
    return lease != null && options.identity().equals(lease.getSpec().getHolderIdentity());
  }

  private LeaseSpec taken(@Nullable LeaseSpec before) {
    ZonedDateTime now =
        ZonedDateTime.ofInstant(clock.instant().truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC);
    var spec = new LeaseSpec();
    spec.setHolderIdentity(options.identity());
    spec.setLeaseDurationSeconds(Math.toIntExact(options.lease().toSeconds()));
    spec.setRenewTime(now);
    spec.setAcquireTime(now);
    spec.setLeaseTransitions(0);
    if (before != null) {
      boolean renewed = options.identity().equals(before.getHolderIdentity());
      spec.setAcquireTime(renewed ? before.getAcquireTime() : now);
      spec.setLeaseTransitions(transitions(before) + (renewed ? 0 : 1));
    }
    return spec;
  }

  private static int transitions(LeaseSpec spec) {
    return spec.getLeaseTransitions() == null ? 0 : spec.getLeaseTransitions();
  }

  private boolean write(Verb verb, Lease base, LeaseSpec spec) {
    Lease next =
        new LeaseBuilder(base)
            .editMetadata()
            .withNamespace(options.namespace())
            .withName(options.name())
            .endMetadata()
            .withSpec(spec)
            .build();
    try {
      var request = client.resource(next);
      known =
          writes.perform(
              verb,
              ObjectKey.of(next),
              () -> verb == Verb.CREATE ? request.create() : request.update());
      changedAtNanos = System.nanoTime();
      return true;
    } catch (KubeException e) {
      known = null; // whatever the answer was, we no longer know the version
      if (e.status() == HTTP_CONFLICT) {
        return false;
      }
      throw e;
    }
  }
}
