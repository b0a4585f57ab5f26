package dev.pitcrew.agent.plugin;

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

  private enum Signal {
    LOOK,
    STOP,
    WITHDRAW
  }

  private final Kubelet kubelet;
  private final DomainSockets sockets;
  private final String name;
  private final Path path;
  private final AtomicReference<Offer> offer;
  private final DeviceStreams streams;
  private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private final AtomicReference<Optional<String>> trouble = new AtomicReference<>(Optional.empty());
  private final Thread thread;

  private Optional<PluginSocket> socket = Optional.empty();
  private Optional<SocketFile> registeredWith = Optional.empty();
  private Backoff backoff = Backoff.START;

  private ResourcePlugin(Kubelet kubelet, DomainSockets sockets, Offer first) {
    this.kubelet = kubelet;
    this.sockets = sockets;
    this.name = first.resource().name();
    this.path = kubelet.folder().resolve(first.socketName());
    this.offer = new AtomicReference<>(first);
    this.streams = new DeviceStreams(Messages.list(first.resource()));
    this.thread = Thread.ofVirtual().name(name).unstarted(this::keep);
  }

  static ResourcePlugin start(Kubelet kubelet, DomainSockets sockets, Offer first) {
    ResourcePlugin plugin = new ResourcePlugin(kubelet, sockets, first);
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
  Optional<String> trouble() {
    return trouble.get();
  }

  /// Ends at once. The kubelet sees the devices as unhealthy until somebody serves them again.
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
    Duration pause = isToBeRetried ? backoff.pause() : SAFETY_NET;
    backoff = isToBeRetried ? backoff.longer() : Backoff.START;
    Signal signal = signals.poll(pause.toMillis(), TimeUnit.MILLISECONDS);
    return signal == null ? Signal.LOOK : signal;
  }

  /// Does what is missing, and says what stays missing.
  private Optional<String> attempt() {
    return serve().or(this::register);
  }

  private Optional<String> serve() {
    if (socket.filter(PluginSocket::isInPlace).isPresent()) {
      return Optional.empty();
    }
    if (socket.isPresent() && SocketFile.answers(path)) {
      return Optional.of("another process serves " + path);
    }
    socket.ifPresent(PluginSocket::close);
    socket = Optional.empty();
    registeredWith = Optional.empty();
    try {
      socket =
          Optional.of(PluginSocket.open(sockets, path, new PluginService(offer::get, streams)));
      return Optional.empty();
    } catch (IOException failure) {
      return Optional.of("cannot listen on " + path + ": " + failure);
    }
  }

  private Optional<String> register() {
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
      LOG.info("registered with the kubelet: resource={} socket={}", name, path);
    }
    return refused;
  }

  private void report(Optional<String> found) {
    if (!trouble.getAndSet(found).equals(found)) {
      found.ifPresent(reason -> LOG.warn("not registered: resource={} reason={}", name, reason));
    }
  }

  private void end(Signal signal) {
    if (signal == Signal.WITHDRAW) {
      streams.publish(Messages.NO_DEVICES);
      streams.end();
      socket.ifPresent(PluginSocket::closeGently);
    } else {
      socket.ifPresent(PluginSocket::close);
    }
    socket = Optional.empty();
  }
}
