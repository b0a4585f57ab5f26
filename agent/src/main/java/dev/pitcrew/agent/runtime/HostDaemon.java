package dev.pitcrew.agent.runtime;

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
  public Optional<String> restart() throws InterruptedException {
    return switch (place.restart()) {
      case NONE -> Optional.of("nobody is to restart it");
      case SYSTEMD -> restartBySystemd();
      case SIGNAL -> hangUp();
    };
  }

  private Optional<String> restartBySystemd() throws InterruptedException {
    HostShell.Said said =
        shell.run(OF_SYSTEMD, List.of("systemctl", "restart", place.kind().value()));
    return Optional.of("systemctl restart %s: %s".formatted(place.kind().value(), said.lastWords()))
        .filter(_ -> !said.isGood());
  }

  private Optional<String> hangUp() throws InterruptedException {
    Optional<Long> process = SocketOwner.of(host, place.socket(), place.kind().program());
    if (process.isEmpty()) {
      return Optional.of(
          "no process %s listens at %s".formatted(place.kind().program(), place.socket()));
    }
    Optional<ProcessHandle> handle = ProcessHandle.of(process.get());
    if (!Signals.hangUp(process.get())) {
      return Optional.of("process %d takes no signal".formatted(process.get()));
    }
    // Docker reads its file and goes on; the others end.
    return place.kind() == RuntimeKind.DOCKER || handle.isEmpty()
        ? Optional.empty()
        : end(handle.get());
  }

  private static Optional<String> end(ProcessHandle process) throws InterruptedException {
    try {
      process.onExit().get(UNTIL_GONE.toMillis(), TimeUnit.MILLISECONDS);
      return Optional.empty();
    } catch (TimeoutException _) {
      return Optional.of("process %d goes on after SIGHUP".formatted(process.pid()));
    } catch (ExecutionException e) {
      return Optional.of("process %d: %s".formatted(process.pid(), e.getMessage()));
    }
  }

  @Override
  public Optional<String> missing(List<String> handlers, Duration limit)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    var news = new Semaphore(0);
    try (FolderEvents _ = socketEvents(news)) {
      Optional<String> trouble = look(handlers);
      while (trouble.isPresent() && System.nanoTime() < deadline) {
        if (news.tryAcquire(BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS)) {
          news.drainPermits();
        }
        trouble = look(handlers);
      }
      return trouble;
    } catch (IOException e) {
      return Optional.of("the folder of %s cannot be watched".formatted(place.socket()));
    }
  }

  private FolderEvents socketEvents(Semaphore news) throws IOException {
    Path socket = socket();
    Path folder = Optional.ofNullable(socket.getParent()).orElse(socket);
    return FolderEvents.of(
        List.of(new FolderEvents.Names(folder, String.valueOf(socket.getFileName()))),
        news::release);
  }

  private Path socket() throws IOException {
    return host.resolve(place.socket()).toAbsolutePath().normalize();
  }

  private Optional<String> look(List<String> handlers) {
    try {
      if (place.kind() == RuntimeKind.DOCKER) {
        connect(socket());
        return Optional.empty();
      }
      Set<String> known = CriStatus.handlers(socket(), OF_AN_ANSWER);
      List<String> unknown = handlers.stream().filter(name -> !known.contains(name)).toList();
      return Optional.of("it does not know the handlers " + String.join(", ", unknown))
          .filter(_ -> !known.isEmpty() && !unknown.isEmpty());
    } catch (StatusRuntimeException e) {
      return Optional.of("no answer at %s: %s".formatted(place.socket(), e.getStatus().getCode()));
    } catch (IOException e) {
      return Optional.of("no answer at %s: %s".formatted(place.socket(), e.getMessage()));
    }
  }

  private static void connect(Path socket) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
    }
  }
}
