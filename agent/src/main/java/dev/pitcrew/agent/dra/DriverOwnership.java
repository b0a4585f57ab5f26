package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.sockets.PeerCloseWatch;
import dev.pitcrew.agent.sockets.SocketFile;
import dev.pitcrew.hardware.linux.Flock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Keeps two processes from being the driver of a node under one name, such as this one and
/// NVIDIA's kubelet plugin while a node moves from one to the other:
///
/// 1. While another process listens at a registration socket of the driver, it is the driver: the
///    kubelet calls that process, and the checkpoint and the ResourceSlices are its own. This holds
///    also where it has replaced the socket of this process, so that neither contests the other's.
/// 2. Otherwise the lock `pu.lock` in the driver's folder is taken. NVIDIA's plugin holds it during
///    each call of the kubelet, and this process for as long as it is the driver.
/// 3. When the other process is gone, `changes` is called.
///
/// Not thread-safe.
final class DriverOwnership {
  private static final String LOCK = "pu.lock";
  private static final String REGISTRATION = "-reg.sock";

  private final Path folder;
  private final Path registry;
  private final String driver;
  private final Runnable changes;
  private Optional<Flock> lock = Optional.empty();
  private Optional<PeerCloseWatch> watch = Optional.empty();

  /// @param folder of the driver, which holds its checkpoint
  /// @param registry the kubelet's folder of registration sockets
  /// @param changes called on another thread when the other process is gone
  DriverOwnership(Path folder, Path registry, String driver, Runnable changes) {
    this.folder = folder;
    this.registry = registry;
    this.driver = driver;
    this.changes = changes;
  }

  /// Makes this process the driver, where no other one is.
  ///
  /// @param isOwn whether this process made the socket of that name which is there
  /// @return why it is not the driver, and what to do; empty where it is
  Optional<String> take(Predicate<Path> isOwn) {
    Optional<Path> other = others(isOwn);
    if (other.isPresent()) {
      if (watch.filter(it -> !it.isOver()).isEmpty()) {
        watch = PeerCloseWatch.watch(other.get(), changes);
      }
      return Optional.of(
          "another DRA driver %s serves this node (it listens at %s): to have the agent take over its claims, remove its pod from the node"
              .formatted(driver, other.get()));
    }
    watch.ifPresent(PeerCloseWatch::close);
    watch = Optional.empty();
    return lock.isPresent() ? Optional.empty() : lock();
  }

  /// Lets another process be the driver.
  void release() {
    lock.ifPresent(Flock::close);
    lock = Optional.empty();
  }

  /// Ends all of it.
  void close() {
    release();
    watch.ifPresent(PeerCloseWatch::close);
    watch = Optional.empty();
  }

  private Optional<Path> others(Predicate<Path> isOwn) {
    try (Stream<Path> sockets = Files.list(registry)) {
      return sockets
          .filter(path -> isRegistration(path.getFileName().toString()))
          .filter(path -> !isOwn.test(path))
          .filter(SocketFile::isListenedTo)
          .sorted()
          .findFirst();
    } catch (IOException _) {
      return Optional.empty(); // There is no kubelet yet.
    }
  }

  /// Also the sockets of instances of a driver that is updated without a gap (KEP-4381), which have
  /// the UID of a pod in their names.
  private boolean isRegistration(String name) {
    return name.equals(driver + REGISTRATION)
        || (name.startsWith(driver + "-") && name.endsWith(REGISTRATION));
  }

  private Optional<String> lock() {
    Path path = folder.resolve(LOCK);
    try {
      Files.createDirectories(folder);
      lock = Flock.take(path);
      return lock.isPresent()
          ? Optional.empty()
          : Optional.of(
              "another process holds %s, as a DRA driver %s does while it prepares claims: find it with fuser -v %s"
                  .formatted(path, driver, path));
    } catch (IOException e) {
      return Optional.of(
          "the DRA driver %s cannot be locked: %s; make %s writable for the agent"
              .formatted(driver, e.getMessage(), folder));
    }
  }
}
