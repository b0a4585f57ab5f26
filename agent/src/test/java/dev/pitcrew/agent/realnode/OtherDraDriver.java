package dev.pitcrew.agent.realnode;

import dev.pitcrew.agent.sockets.DomainSockets;
import dev.pitcrew.hardware.linux.Flock;
import dev.pitcrew.kubelet.dra.Claim;
import dev.pitcrew.kubelet.dra.DRAPluginGrpc.DRAPluginImplBase;
import dev.pitcrew.kubelet.dra.NodePrepareResourceResponse;
import dev.pitcrew.kubelet.dra.NodePrepareResourcesRequest;
import dev.pitcrew.kubelet.dra.NodePrepareResourcesResponse;
import dev.pitcrew.kubelet.pluginregistration.InfoRequest;
import dev.pitcrew.kubelet.pluginregistration.PluginInfo;
import dev.pitcrew.kubelet.pluginregistration.RegistrationGrpc.RegistrationImplBase;
import dev.pitcrew.kubelet.pluginregistration.RegistrationStatus;
import dev.pitcrew.kubelet.pluginregistration.RegistrationStatusResponse;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Another process as the DRA driver `gpu.nvidia.com` of a node, on the sockets of the kubelet, as
/// the helper of Kubernetes that NVIDIA's driver uses serves them
/// (`k8s.io/dynamic-resource-allocation/kubeletplugin`, 0.36.3): it removes whatever has the name
/// of a socket, serves claims first and registers then, and removes the names again when it ends,
/// also those of files that others have made by then. For each call it takes `pu.lock`, as NVIDIA's
/// driver does. It prepares no claim.
final class OtherDraDriver implements AutoCloseable {
  static final String REFUSAL = "the other driver prepares no claim";

  private static final String DRIVER = "gpu.nvidia.com";
  private static final String KUBELET = "/var/lib/kubelet";

  private final DomainSockets sockets = new DomainSockets();
  private final Path links;
  private final Server service;
  private final Server registration;

  /// @param links a folder whose path is short enough for sockets
  private OtherDraDriver(GpuNode node, Path links) throws IOException {
    this.links = links;
    Path plugins = link("plugins", node.node().path(KUBELET + "/plugins/" + DRIVER));
    Path registry = link("registry", node.node().path(KUBELET + "/plugins_registry"));
    service = serve(plugins.resolve("dra.sock"), new Claims(plugins.resolve("pu.lock")));
    registration = serve(registry.resolve(DRIVER + "-reg.sock"), new Registration());
  }

  static OtherDraDriver start(GpuNode node) {
    try {
      return new OtherDraDriver(node, Files.createTempDirectory("dra"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path link(String name, Path folder) throws IOException {
    return Files.createSymbolicLink(links.resolve(name), folder);
  }

  private Server serve(Path socket, BindableService answers) throws IOException {
    Files.deleteIfExists(socket);
    return sockets.server(socket, answers).start();
  }

  @Override
  public void close() {
    service.shutdownNow();
    registration.shutdownNow();
    sockets.close();
    try {
      Files.deleteIfExists(links.resolve("plugins/dra.sock"));
      Files.deleteIfExists(links.resolve("registry/" + DRIVER + "-reg.sock"));
      Files.delete(links.resolve("plugins"));
      Files.delete(links.resolve("registry"));
      Files.delete(links);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Claims extends DRAPluginImplBase {
    private final Path lock;

    Claims(Path lock) {
      this.lock = lock;
    }

    @Override
    public void nodePrepareResources(
        NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> to) {
      var response = NodePrepareResourcesResponse.newBuilder();
      for (Claim claim : request.getClaimsList()) {
        response.putClaims(
            claim.getUid(), NodePrepareResourceResponse.newBuilder().setError(refusal()).build());
      }
      to.onNext(response.build());
      to.onCompleted();
    }

    private String refusal() {
      try {
        Optional<Flock> taken = Flock.take(lock);
        taken.ifPresent(Flock::close);
        return taken.isPresent() ? REFUSAL : "pu.lock is held by another process";
      } catch (IOException e) {
        return String.valueOf(e.getMessage());
      }
    }
  }

  private static final class Registration extends RegistrationImplBase {
    @Override
    public void getInfo(InfoRequest request, StreamObserver<PluginInfo> to) {
      to.onNext(
          PluginInfo.newBuilder()
              .setType("DRAPlugin")
              .setName(DRIVER)
              .setEndpoint(KUBELET + "/plugins/" + DRIVER + "/dra.sock")
              .addSupportedVersions("v1.DRAPlugin")
              .build());
      to.onCompleted();
    }

    @Override
    public void notifyRegistrationStatus(
        RegistrationStatus status, StreamObserver<RegistrationStatusResponse> to) {
      to.onNext(RegistrationStatusResponse.getDefaultInstance());
      to.onCompleted();
    }
  }
}
