package dev.pitcrew.agent.plugin;

import dev.pitcrew.agent.sockets.DomainSockets;
import dev.pitcrew.kubelet.deviceplugin.Empty;
import dev.pitcrew.kubelet.deviceplugin.RegisterRequest;
import dev.pitcrew.kubelet.deviceplugin.RegistrationGrpc.RegistrationImplBase;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// The kubelet's part: it takes registrations on its socket and calls back on the plugin's.
public final class TestKubelet implements AutoCloseable {
  private static final String USUAL_SOCKET = "kubelet.sock";

  private final Path folder;
  private final String socket;
  private final DomainSockets sockets = new DomainSockets();
  private final BlockingQueue<RegisterRequest> registrations = new LinkedBlockingQueue<>();
  private final AtomicInteger toRefuse = new AtomicInteger();
  private final Server server;

  private TestKubelet(Path folder, String socket, int toRefuse) throws IOException {
    this.folder = folder;
    this.socket = socket;
    this.toRefuse.set(toRefuse);
    this.server = sockets.server(folder.resolve(socket), new Registrations()).start();
  }

  public static TestKubelet start(Path folder) throws IOException {
    return new TestKubelet(folder, USUAL_SOCKET, 0);
  }

  /// One that takes registrations under another name.
  static TestKubelet named(Path folder, String socket) throws IOException {
    return new TestKubelet(folder, socket, 0);
  }

  /// One that refuses the first registrations.
  static TestKubelet refusing(Path folder, int times) throws IOException {
    return new TestKubelet(folder, USUAL_SOCKET, times);
  }

  public RegisterRequest nextRegistration() throws InterruptedException {
    RegisterRequest request = registrations.poll(10, TimeUnit.SECONDS);
    if (request == null) {
      throw new AssertionError("no plugin has registered");
    }
    return request;
  }

  public boolean hasMoreRegistrations() {
    return !registrations.isEmpty();
  }

  public PluginClient dial(String endpoint) {
    return new PluginClient(sockets.channel(folder.resolve(endpoint)));
  }

  /// As a kubelet ends: its socket goes.
  @Override
  public void close() throws IOException {
    server.shutdownNow();
    Files.deleteIfExists(folder.resolve(socket));
    sockets.close();
  }

  private final class Registrations extends RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> to) {
      if (toRefuse.getAndDecrement() > 0) {
        to.onError(Status.UNAVAILABLE.withDescription("not yet").asException());
        return;
      }
      registrations.add(request);
      to.onNext(Empty.getDefaultInstance());
      to.onCompleted();
    }
  }
}
