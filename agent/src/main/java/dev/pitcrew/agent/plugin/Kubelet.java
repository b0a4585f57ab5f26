package dev.pitcrew.agent.plugin;

import dev.pitcrew.agent.sockets.DomainSockets;
import dev.pitcrew.agent.sockets.SocketFile;
import dev.pitcrew.kubelet.deviceplugin.RegisterRequest;
import dev.pitcrew.kubelet.deviceplugin.RegistrationGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The kubelet's end of the device plugin interface: a folder for sockets with its own among them.
final class Kubelet {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final KubeletPlace place;
  private final DomainSockets sockets;

  Kubelet(KubeletPlace place, DomainSockets sockets) {
    this.place = place;
    this.sockets = sockets;
  }

  Path folder() {
    return place.folder();
  }

  /// Whether anything is to be registered at all.
  boolean takesRegistrations() {
    return place.socket().isPresent();
  }

  /// Which kubelet is there; empty while none is.
  Optional<SocketFile> present() {
    return place.socket().flatMap(SocketFile::at);
  }

  /// Registers the endpoint of a resource with the kubelet.
  ///
  /// @return why it did not accept it; empty if it did
  Optional<String> register(String resource, String endpoint) {
    ManagedChannel channel = sockets.channel(place.socket().orElseThrow());
    try {
      RegistrationGrpc.newBlockingStub(channel)
          .withDeadlineAfter(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
          .register(
              RegisterRequest.newBuilder()
                  .setVersion(Messages.VERSION)
                  .setEndpoint(endpoint)
                  .setResourceName(resource)
                  .setOptions(Messages.OPTIONS)
                  .build());
      return Optional.empty();
    } catch (StatusRuntimeException refused) {
      return Optional.of(refused.getStatus().toString());
    } finally {
      channel.shutdownNow();
    }
  }
}
