package dev.pitcrew.agent.plugin;

import dev.pitcrew.agent.sockets.DomainSockets;
import dev.pitcrew.kubelet.deviceplugin.DevicePluginGrpc;
import dev.pitcrew.kubelet.deviceplugin.Empty;
import dev.pitcrew.kubelet.deviceplugin.RegisterRequest;
import dev.pitcrew.kubelet.deviceplugin.RegistrationGrpc.RegistrationImplBase;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Plays a kubelet for one list of devices, so that a plugin has done everything once before it
/// counts.
public final class WarmUpKubelet implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final DomainSockets sockets = new DomainSockets();
  private final CountDownLatch listed = new CountDownLatch(1);
  private final Path folder;
  private final Server server;

  private WarmUpKubelet(Path folder) throws IOException {
    this.folder = folder;
    this.server =
        sockets.server(KubeletPlace.in(folder).socket().orElseThrow(), new Registrations()).start();
  }

  /// @param folder in which plugins are to look for it
  public static WarmUpKubelet in(Path folder) throws IOException {
    return new WarmUpKubelet(folder);
  }

  /// Waits for a list of devices, but not for long.
  ///
  /// @return whether it came
  public boolean awaitList() throws InterruptedException {
    return listed.await(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }

  private final class Registrations extends RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> answer) {
      answer.onNext(Empty.getDefaultInstance());
      answer.onCompleted();
      Thread.ofVirtual().name("practice").start(() -> list(request.getEndpoint()));
    }
  }

  private void list(String endpoint) {
    ManagedChannel channel = sockets.channel(folder.resolve(endpoint));
    try {
      DevicePluginGrpc.newBlockingStub(channel)
          .withDeadlineAfter(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
          .listAndWatch(Empty.getDefaultInstance())
          .next();
    } catch (StatusRuntimeException _) {
      // Practice only: the real kubelet is informed when the time comes.
    } finally {
      listed.countDown();
      channel.shutdownNow();
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
    sockets.close();
  }
}
