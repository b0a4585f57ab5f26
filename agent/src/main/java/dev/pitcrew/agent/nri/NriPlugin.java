package dev.pitcrew.agent.nri;

import dev.pitcrew.core.Backoff;
import dev.pitcrew.core.ThreadEnd;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.linux.FolderEvents;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent as a plugin of the node's container runtime: connects as soon as there is a socket,
/// answers, and connects again after a restart of the runtime.
public final class NriPlugin implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NriPlugin.class);

  /// How runtimes and the annotation of required plugins call it.
  public static final String NAME = "pitcrew";

  /// A runtime lets plugins in one after the other, each with its own deadline of five seconds.
  private static final Duration UNTIL_SERVED = Duration.ofSeconds(15);

  private static final Backoff RETRY = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30));

  /// Where the runtime is, and the identity of the plugin.
  ///
  /// @param socket as the host names it, such as `/var/run/nri/nri.sock`
  /// @param index two digits
  public record Door(HostRoot host, String socket, String index) {}

  private final Door door;
  private final ContainerHook hook;
  private final Consumer<NriState> onState;
  private final Duration untilServed;
  private final Semaphore changes = new Semaphore(0);
  private final Thread thread = Thread.ofVirtual().name("nri").unstarted(this::run);

  private NriPlugin(
      Door door, ContainerHook hook, Consumer<NriState> onState, Duration untilServed) {
    this.door = door;
    this.hook = hook;
    this.onState = onState;
    this.untilServed = untilServed;
  }

  /// @param onState receives the state whenever it changes
  public static NriPlugin start(Door door, ContainerHook hook, Consumer<NriState> onState) {
    return start(door, hook, onState, UNTIL_SERVED);
  }

  static NriPlugin start(
      Door door, ContainerHook hook, Consumer<NriState> onState, Duration untilServed) {
    var plugin = new NriPlugin(door, hook, onState, untilServed);
    plugin.thread.start();
    return plugin;
  }

  private void run() {
    Optional<NriState> published = Optional.empty();
    int tries = 1;
    try (FolderEvents _ = folderEvents()) {
      while (!Thread.currentThread().isInterrupted()) {
        var wasServed = new AtomicBoolean();
        NriState state = connect(wasServed);
        if (wasServed.get() || !Optional.of(state).equals(published)) {
          publish(state);
        }
        published = Optional.of(state);
        tries = wasServed.get() ? 1 : tries;
        boolean hasChanged =
            changes.tryAcquire(RETRY.ceiling(tries).toMillis(), TimeUnit.MILLISECONDS);
        changes.drainPermits();
        tries = hasChanged ? 1 : tries + 1;
      }
    } catch (InterruptedException _) {
      LOG.atDebug().log("the plugin ends");
    } catch (IOException e) {
      LOG.atError().setCause(e).log("the folder of {} cannot be watched", door.socket());
    }
  }

  private FolderEvents folderEvents() throws IOException {
    Path socket = door.host().resolve(door.socket()).toAbsolutePath().normalize();
    Path folder = Optional.ofNullable(socket.getParent()).orElse(socket);
    return FolderEvents.of(
        List.of(new FolderEvents.Names(folder, String.valueOf(socket.getFileName()))),
        changes::release);
  }

  /// Why it is over, or could not begin.
  private NriState connect(AtomicBoolean wasServed) throws InterruptedException {
    Optional<Path> socket = socket();
    if (socket.isEmpty()) {
      return NriState.notServed(door.socket());
    }
    try (Multiplexer trunk = Multiplexer.connect(socket.get())) {
      return serve(trunk, wasServed);
    } catch (ClosedByInterruptException _) {
      throw new InterruptedException();
    } catch (IOException e) {
      return NriState.refused(door.socket(), words(e));
    }
  }

  private NriState serve(Multiplexer trunk, AtomicBoolean wasServed) throws InterruptedException {
    try (var timeout = ReadTimeout.with(trunk, untilServed)) {
      var session =
          new RuntimeSession(
              trunk,
              hook,
              state -> {
                timeout.end();
                wasServed.set(true);
                publish(state);
              });
      return ended(session, timeout, wasServed);
    }
  }

  private NriState ended(RuntimeSession session, ReadTimeout timeout, AtomicBoolean wasServed)
      throws InterruptedException {
    try {
      session.serve(new RuntimeSession.Identity(NAME, door.index()));
      return lost("it closed it", wasServed.get());
    } catch (ClosedByInterruptException _) {
      throw new InterruptedException();
    } catch (IOException e) {
      boolean counts = wasServed.get() && !(e instanceof NriProtocolException);
      return timeout.isLost() ? NriState.silent(door.socket()) : lost(words(e), counts);
    }
  }

  private NriState lost(String why, boolean wasServed) {
    return wasServed ? NriState.closed(why) : NriState.refused(door.socket(), why);
  }

  private Optional<Path> socket() {
    try {
      return Optional.of(door.host().resolve(door.socket())).filter(Files::exists);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private void publish(NriState state) {
    if (state.isServed()) {
      LOG.atInfo().log("NRI: {}", state.message());
    } else {
      LOG.atWarn().log("NRI: {}", state.message());
    }
    onState.accept(state);
  }

  private static String words(IOException e) {
    return Optional.ofNullable(e.getMessage()).orElse(e.getClass().getSimpleName());
  }

  @Override
  public void close() {
    ThreadEnd.of(thread);
  }
}
