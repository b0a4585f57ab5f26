package dev.pitcrew.agent.runtime;

import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.runtime.RuntimeDaemon.RestartFailure;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.linux.FolderEvents;
import dev.pitcrew.hardware.linux.Signals;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The runtime of this node.
public final class HostDaemon implements RuntimeDaemon {
  private static final Duration UNTIL_GONE = Duration.ofSeconds(30);
  private static final Duration OF_SYSTEMD = Duration.ofSeconds(90);
  private static final Duration OF_AN_ANSWER = Duration.ofSeconds(5);

  /// A socket is there a moment before its owner answers, and nothing announces that.
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);

  private final RuntimePlace place;
  private final HostRoot host;
  private final HostShell shell;

  public HostDaemon(RuntimePlace place, HostRoot host, HostShell shell) {
    this.place = place;
    this.host = host;
    this.shell = shell;
  }

  @Override
  public Optional<RestartFailure> restart() throws InterruptedException {
    return switch (place.restart()) {
      case NONE -> Optional.of(notRestarted("restarting it is turned off"));
      case SYSTEMD -> restartBySystemd();
      case SIGNAL -> hangUp();
    };
  }

  /// systemctl waits for a service that says when it is ready, so a service that does not start
  /// fails here already.
  private Optional<RestartFailure> restartBySystemd() throws InterruptedException {
    HostShell.Said said =
        shell.run(OF_SYSTEMD, List.of("systemctl", "restart", place.kind().value()));
    var kind = said.hasEnded() ? RestartFailure.Kind.NO_ANSWER : RestartFailure.Kind.NOT_RESTARTED;
    return Optional.of(
            new RestartFailure(
                kind,
                "systemctl restart %s: %s".formatted(place.kind().value(), said.lastOutput())))
        .filter(_ -> !said.isGood());
  }

  private static RestartFailure notRestarted(String why) {
    return new RestartFailure(RestartFailure.Kind.NOT_RESTARTED, why);
  }

  private Optional<RestartFailure> hangUp() throws InterruptedException {
    Optional<Long> process = SocketOwner.of(host, place.socket(), place.kind().program());
    if (process.isEmpty()) {
      return Optional.of(
          notRestarted(
              "no process %s listens at %s".formatted(place.kind().program(), place.socket())));
    }
    Optional<ProcessHandle> handle = ProcessHandle.of(process.get());
    if (!Signals.hangUp(process.get())) {
      return Optional.of(notRestarted("process %d takes no signal".formatted(process.get())));
    }
    // Docker reads its file and goes on; the others end.
    return place.kind() == RuntimeKind.DOCKER || handle.isEmpty()
        ? Optional.empty()
        : end(handle.get());
  }

  private static Optional<RestartFailure> end(ProcessHandle process) throws InterruptedException {
    try {
      process.onExit().get(UNTIL_GONE.toMillis(), TimeUnit.MILLISECONDS);
      return Optional.empty();
    } catch (TimeoutException _) {
      return Optional.of(notRestarted("process %d goes on after SIGHUP".formatted(process.pid())));
    } catch (ExecutionException e) {
      return Optional.of(notRestarted("process %d: %s".formatted(process.pid(), e.getMessage())));
    }
  }

  @Override
  public Optional<RestartFailure> missing(List<String> handlers, Duration limit)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    var changes = new Semaphore(0);
    try (FolderEvents _ = socketEvents(changes)) {
      Optional<RestartFailure> problem = look(handlers);
      while (problem.isPresent() && System.nanoTime() < deadline) {
        if (changes.tryAcquire(BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS)) {
          changes.drainPermits();
        }
        problem = look(handlers);
      }
      return problem;
    } catch (IOException e) {
      return Optional.of(
          notRestarted("the folder of %s cannot be watched".formatted(place.socket())));
    }
  }

  private FolderEvents socketEvents(Semaphore changes) throws IOException {
    Path socket = socket();
    Path folder = Optional.ofNullable(socket.getParent()).orElse(socket);
    return FolderEvents.of(
        List.of(new FolderEvents.Names(folder, String.valueOf(socket.getFileName()))),
        changes::release);
  }

  private Path socket() throws IOException {
    return host.resolve(place.socket()).toAbsolutePath().normalize();
  }

  private Optional<RestartFailure> look(List<String> handlers) {
    try {
      if (place.kind() == RuntimeKind.DOCKER) {
        connect(socket());
        return Optional.empty();
      }
      Set<String> known = CriStatus.of(socket(), OF_AN_ANSWER).handlers();
      List<String> unknown = handlers.stream().filter(name -> !known.contains(name)).toList();
      return Optional.of(
              new RestartFailure(
                  RestartFailure.Kind.WITHOUT_HANDLERS,
                  "it does not know the handlers " + String.join(", ", unknown)))
          .filter(_ -> !known.isEmpty() && !unknown.isEmpty());
    } catch (StatusRuntimeException e) {
      return noAnswer(e.getStatus().getCode().toString());
    } catch (IOException e) {
      return noAnswer(String.valueOf(e.getMessage()));
    }
  }

  private Optional<RestartFailure> noAnswer(String why) {
    return Optional.of(
        new RestartFailure(
            RestartFailure.Kind.NO_ANSWER, "no answer at %s: %s".formatted(place.socket(), why)));
  }

  private static void connect(Path socket) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
    }
  }
}
