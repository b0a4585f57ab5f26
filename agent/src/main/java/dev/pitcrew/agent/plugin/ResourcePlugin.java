package dev.pitcrew.agent.plugin;

import dev.pitcrew.agent.sockets.DomainSockets;
import dev.pitcrew.agent.sockets.PeerCloseWatch;
import dev.pitcrew.agent.sockets.ServiceSocket;
import dev.pitcrew.agent.sockets.SocketFile;
import dev.pitcrew.core.Backoff;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps one resource served and registered, whatever the kubelet does. It works by level: each
/// time something may have changed it looks where the socket file and the kubelet are and does what
/// is missing. Only its own thread touches socket and registration.
final class ResourcePlugin {
  private static final Logger LOG = LoggerFactory.getLogger(ResourcePlugin.class);
  private static final Duration SAFETY_NET = Duration.ofSeconds(10);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
  private static final Backoff RETRY = new Backoff(Duration.ofMillis(10), LONGEST_PAUSE);

  /// A kubelet that was registered with a moment ago ends the old list before it asks for the next.
  private static final Backoff GRACE = new Backoff(Duration.ofMillis(200), LONGEST_PAUSE);

  /// A registration of that age is the last one. Where its list ends, another plugin of the
  /// resource has ended, and the node offers no device until the next registration.
  private static final Duration SETTLED = Duration.ofMillis(200);

  /// A registration that lived as long as that was no failure.
  private static final Duration LONG = Duration.ofMinutes(1);

  private enum Signal {
    LOOK,
    STOP,
    WITHDRAW
  }

  /// What is known of the kubelet's interest in the list, by the socket to which it belongs.
  private record Loss(int socket, long atNanos) {}

  private final Kubelet kubelet;
  private final DomainSockets sockets;
  private final String name;
  private final Path path;
  private final AtomicReference<Offer> offer;
  private final DeviceStreams streams;
  private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private final AtomicReference<Optional<String>> problem =
      new AtomicReference<>(Optional.of(DevicePlugins.NOT_TRIED));
  private final Runnable onRegistration;
  private final Thread thread;

  private Optional<ServiceSocket> socket = Optional.empty();
  private Optional<SocketFile> registeredWith = Optional.empty();
  private int failures;
  private int socketNumber;
  private final AtomicReference<Optional<Loss>> loss = new AtomicReference<>(Optional.empty());
  private int losses = 1;
  private long registeredNanos = System.nanoTime();
  private Optional<PeerCloseWatch> other = Optional.empty();

  private ResourcePlugin(
      Kubelet kubelet, DomainSockets sockets, Offer first, Runnable onRegistration) {
    this.kubelet = kubelet;
    this.sockets = sockets;
    this.onRegistration = onRegistration;
    this.name = first.resource().name();
    this.path = kubelet.folder().resolve(first.socketName());
    this.offer = new AtomicReference<>(first);
    this.streams = new DeviceStreams(Messages.list(first.resource()));
    this.thread = Thread.ofVirtual().name(name).unstarted(this::keep);
  }

  /// @param onRegistration called whenever [#problem] has changed
  static ResourcePlugin start(
      Kubelet kubelet, DomainSockets sockets, Offer first, Runnable onRegistration) {
    ResourcePlugin plugin = new ResourcePlugin(kubelet, sockets, first, onRegistration);
    plugin.thread.start();
    return plugin;
  }

  /// From now on this is offered; the server stays.
  void update(Offer next) {
    offer.set(next);
    streams.publish(Messages.list(next.resource()));
  }

  /// Something happened in the kubelet's folder.
  void look() {
    signals.add(Signal.LOOK);
  }

  /// Why the kubelet does not have this resource at the moment; empty if it has.
  Optional<String> problem() {
    return problem.get();
  }

  /// Ends at once. The kubelet sees the devices as unhealthy until they are served again.
  void stop() throws InterruptedException {
    signals.add(Signal.STOP);
    thread.join();
  }

  /// Takes the resource away for good: an empty list first, so that the kubelet counts none.
  void withdraw() throws InterruptedException {
    signals.add(Signal.WITHDRAW);
    thread.join();
  }

  private void keep() {
    try {
      Signal signal = Signal.LOOK;
      while (signal == Signal.LOOK) {
        Optional<String> found = attempt();
        report(found);
        signal = next(found.isPresent() && kubelet.present().isPresent());
      }
      end(signal);
    } catch (InterruptedException _) {
      end(Signal.STOP);
    }
  }

  private Signal next(boolean isToBeRetried) throws InterruptedException {
    failures = isToBeRetried ? failures + 1 : 0;
    long pauseNanos = (isToBeRetried ? RETRY.ceiling(failures) : SAFETY_NET).toNanos();
    long untilLossNanos = loss.get().map(this::untilItCounts).orElse(pauseNanos);
    Signal signal =
        signals.poll(Math.max(0, Math.min(pauseNanos, untilLossNanos)), TimeUnit.NANOSECONDS);
    return signal == null ? Signal.LOOK : signal;
  }

  /// Does what is missing, and says what stays missing.
  private Optional<String> attempt() {
    try {
      return serve().or(this::register);
    } catch (RuntimeException bug) {
      LOG.error("neither served nor registered: resource={}", name, bug);
      return Optional.of("failed: " + bug);
    }
  }

  private Optional<String> serve() {
    if (socket.filter(ServiceSocket::isInPlace).isPresent()) {
      return Optional.empty();
    }
    if (socket.isPresent() && SocketFile.isListenedTo(path)) {
      awaitPeerClose();
      return Optional.of("another process serves " + path);
    }
    socket.ifPresent(ServiceSocket::close);
    socket = Optional.empty();
    registeredWith = Optional.empty();
    int number = ++socketNumber;
    try {
      var service = new PluginService(offer::get, streams, () -> lost(number));
      socket = Optional.of(ServiceSocket.open(sockets, path, service));
      return Optional.empty();
    } catch (IOException failure) {
      return Optional.of("cannot listen on " + path + ": " + failure);
    }
  }

  /// A process that took over keeps the socket; this one follows as soon as that one ends.
  private void awaitPeerClose() {
    if (other.filter(it -> !it.isOver()).isEmpty()) {
      other = PeerCloseWatch.watch(path, this::look);
    }
  }

  private void lost(int number) {
    loss.set(Optional.of(new Loss(number, System.nanoTime())));
    look();
  }

  private long untilItCounts(Loss lost) {
    boolean isSettled = lost.atNanos() - registeredNanos > SETTLED.toNanos();
    Duration grace = losses == 1 && isSettled ? Duration.ZERO : GRACE.ceiling(losses);
    return lost.atNanos() + grace.toNanos() - System.nanoTime();
  }

  /// A kubelet that is still the same and no longer listens has dropped us without a word.
  private void considerLoss() {
    Optional<Loss> now = loss.get();
    if (now.filter(it -> untilItCounts(it) <= 0).isEmpty()) {
      return;
    }
    loss.compareAndSet(now, Optional.empty());
    boolean isOurs = now.filter(it -> it.socket() == socketNumber).isPresent();
    if (isOurs && streams.isEmpty() && registeredWith.isPresent()) {
      boolean wasLong = System.nanoTime() - registeredNanos > LONG.toNanos();
      losses = wasLong ? 1 : losses + 1;
      registeredWith = Optional.empty();
    }
  }

  private Optional<String> register() {
    if (!kubelet.takesRegistrations()) {
      return Optional.empty();
    }
    considerLoss();
    Optional<SocketFile> present = kubelet.present();
    if (present.isEmpty()) {
      registeredWith = Optional.empty();
      return Optional.of("no kubelet in " + kubelet.folder());
    }
    if (present.equals(registeredWith)) {
      return Optional.empty();
    }
    Optional<String> refused = kubelet.register(name, path.getFileName().toString());
    if (refused.isEmpty()) {
      registeredWith = present;
      registeredNanos = System.nanoTime();
      loss.set(Optional.empty());
      LOG.info("registered with the kubelet: resource={} socket={}", name, path);
    }
    return refused;
  }

  private void report(Optional<String> found) {
    if (!problem.getAndSet(found).equals(found)) {
      found.ifPresent(reason -> LOG.warn("not registered: resource={} reason={}", name, reason));
      onRegistration.run();
    }
  }

  private void end(Signal signal) {
    other.ifPresent(PeerCloseWatch::close);
    if (signal == Signal.WITHDRAW) {
      streams.publish(Messages.NO_DEVICES);
      streams.end();
      socket.ifPresent(ServiceSocket::closeGently);
    } else {
      socket.ifPresent(ServiceSocket::close);
    }
    socket = Optional.empty();
  }
}
