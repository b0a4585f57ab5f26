package dev.pitcrew.kube.lease;

import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.kube.client.Deadline;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes and renews the lease; calls back when it is taken, and when it is lost.
///
/// 1. While the lease of the same name in another namespace has a holder, nothing is taken: another
///    installation acts on the same cluster.
/// 2. The lease of the own namespace is taken, once it is free.
/// 3. Of two installations that took theirs at the same time, each now sees the other. It gives its
///    lease up, and retries after a random pause.
/// 4. The lease is renewed. Another installation that comes later waits, unless it is the NVIDIA
///    GPU Operator, which looks at its own namespace only. It is looked for, and reported.
///
/// The client library has an elector of its own. It is not used because a call that hangs keeps it
/// from noticing that its lease has run out, because it compares the holder's clock with ours, and
/// because it needs the right to patch.
public final class LeaderElection implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);
  private static final Duration RELEASE_WITHIN = Duration.ofSeconds(2);
  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(4);

  private final LeaseOptions options;
  private final LeaseRecord lease;
  private final OtherHolders others;
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile Optional<String> elsewhere = Optional.empty();
  private volatile boolean leader;
  private volatile long renewedAtNanos;
  private volatile @Nullable Thread thread;

  /// From now on `writes` lets only the lease pass unless this process leads.
  public LeaderElection(
      KubernetesClient client, Writes writes, LeaseOptions options, InstantSource clock) {
    this.options = options;
    this.lease = new LeaseRecord(client, writes, options, clock);
    this.others = new OtherHolders(client, options);
    writes.onlyIf(object -> object.kind().equals("Lease") || mayAct());
  }

  /// Begins to try. May be called once.
  ///
  /// @param started called once, when the lease is ours
  /// @param stopped called when the lease was ours and is lost; the process must end, as another
  ///   one acts already or will soon. Not called by [#close].
  /// @param joined called when the lease is ours and [#elsewhere] changes
  public void start(Runnable started, Runnable stopped, Runnable joined) {
    thread = Thread.ofVirtual().name("leader-election").start(() -> run(started, stopped, joined));
  }

  public boolean isLeader() {
    return leader;
  }

  /// Namespace and holder of another installation that acts: this one waits for it, or leads and
  /// acts beside it.
  public Optional<String> elsewhere() {
    return elsewhere;
  }

  /// Whether no other process can lead yet. A process that was paused for longer than its lease
  /// calls this before its next write, not only when the election's own thread runs again.
  private boolean mayAct() {
    return leader && System.nanoTime() - renewedAtNanos < options.renew().toNanos();
  }

  /// Stops trying and gives the lease up when it is ours. Call it when nothing acts any more:
  /// another process may start at once.
  @Override
  public void close() {
    closing.countDown();
    @Nullable Thread trying = thread;
    if (trying == null) {
      return;
    }
    try {
      if (!trying.join(CLOSE_WITHIN)) {
        trying.interrupt(); // the API server does not answer, so there is nothing to be given up
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run(Runnable started, Runnable stopped, Runnable joined) {
    try {
      acquire();
      leader = true;
      log.info("{} leads", options.identity());
      Thread.ofVirtual().name("leading").start(started);
      keep(joined);
      leader = false;
      log.error(
          "{} has lost the lease {}/{}", options.identity(), options.namespace(), options.name());
      stopped.run();
    } catch (InterruptedException e) {
      leader = false;
      release();
    }
  }

  private void acquire() throws InterruptedException {
    while (isElsewhere() || !tryHold(options.renew()) || givesWay()) {
      double jitter = 1 + ThreadLocalRandom.current().nextDouble();
      pause(Duration.ofNanos((long) (options.retry().toNanos() * jitter)));
    }
  }

  private boolean givesWay() throws InterruptedException {
    if (!isElsewhere()) {
      return false;
    }
    release();
    return true;
  }

  /// Whether another installation acts; also true where that cannot be determined.
  private boolean isElsewhere() throws InterruptedException {
    try {
      Optional<String> now = Deadline.call(options.renew(), others::acting);
      if (now.isPresent() && !now.equals(elsewhere)) {
        log.warn(
            "{} holds the lease {} and acts on this cluster; this installation, in namespace {}, does nothing beside it",
            now.get(),
            options.name(),
            options.namespace());
      }
      elsewhere = now;
      return now.isPresent();
    } catch (RuntimeException | IOException e) { // whatever it is, this thread must go on
      log.warn("cannot list the leases {} of other namespaces: {}", options.name(), e.toString());
      return true;
    }
  }

  /// Returns when the lease could not be renewed for too long, even if the API server leaves the
  /// call unanswered.
  private void keep(Runnable joined) throws InterruptedException {
    long lookedAtNanos = System.nanoTime();
    while (true) {
      pause(options.retry());
      Duration left = options.renew().minusNanos(System.nanoTime() - renewedAtNanos);
      if (!left.isPositive()) {
        return;
      }
      boolean isHeld = tryHold(left);
      if (isHeld && System.nanoTime() - lookedAtNanos > betweenLooks().toNanos()) {
        lookedAtNanos = System.nanoTime();
        lookElsewhere(joined);
      }
    }
  }

  /// Longer than a lease lasts that has not changed in between.
  private Duration betweenLooks() {
    return options.lease().multipliedBy(2);
  }

  private void lookElsewhere(Runnable joined) throws InterruptedException {
    try {
      Optional<String> now = Deadline.call(options.renew().dividedBy(2), others::acting);
      if (!now.equals(elsewhere)) {
        log.warn(
            "another installation that acts on this cluster: {}",
            now.orElse("none any more, this one acts alone"));
        elsewhere = now;
        joined.run();
      }
    } catch (RuntimeException | IOException e) { // whatever it is, this thread must go on
      log.warn("cannot list the leases {} of other namespaces: {}", options.name(), e.toString());
    }
  }

  private void pause(Duration length) throws InterruptedException {
    if (closing.await(length.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new InterruptedException("closing");
    }
  }

  private boolean tryHold(Duration limit) throws InterruptedException {
    long triedAtNanos = System.nanoTime();
    try {
      boolean held = Deadline.call(limit, lease::hold);
      if (held) {
        renewedAtNanos = triedAtNanos;
      }
      return held;
    } catch (RuntimeException | IOException e) { // whatever it is, this thread must go on
      log.warn(
          "cannot take or renew the lease {}/{}: {}",
          options.namespace(),
          options.name(),
          e.toString());
      return false;
    }
  }

  private void release() {
    try {
      boolean released = Deadline.call(RELEASE_WITHIN, lease::release);
      log.info("{} no longer leads; lease given up: {}", options.identity(), released);
    } catch (KubeException | KubernetesClientException | IOException | InterruptedException e) {
      log.warn(
          "the lease {}/{} was not released and expires automatically: {}",
          options.namespace(),
          options.name(),
          e.getMessage());
    }
  }
}
