package dev.pitcrew.agent.plugin;

import dev.pitcrew.kubelet.podresources.ContainerDevices;
import dev.pitcrew.kubelet.podresources.ContainerResources;
import dev.pitcrew.kubelet.podresources.ListPodResourcesRequest;
import dev.pitcrew.kubelet.podresources.ListPodResourcesResponse;
import dev.pitcrew.kubelet.podresources.PodResources;
import dev.pitcrew.kubelet.podresources.PodResourcesListerGrpc.PodResourcesListerImplBase;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A kubelet's word on who holds what, on its pod-resources socket and, where one pod holds one
/// device, in its checkpoint.
public final class TestPodResources implements AutoCloseable {
  private static final String SOCKET = "var/lib/kubelet/pod-resources/kubelet.sock";
  private static final String CHECKPOINT =
      "var/lib/kubelet/device-plugins/kubelet_internal_checkpoint";

  private final DomainSockets sockets = new DomainSockets();
  private final Server server;

  /// @param uid of the pod
  public record Held(String namespace, String pod, String uid, String device) {}

  private TestPodResources(Path host, List<PodResources> pods) throws IOException {
    Path socket = host.resolve(SOCKET);
    Files.createDirectories(socket.getParent());
    server = sockets.server(socket, new Lister(pods)).start();
  }

  public static TestPodResources start(Path host, Held held) throws IOException {
    Path checkpoint = host.resolve(CHECKPOINT);
    Files.createDirectories(checkpoint.getParent());
    Files.writeString(
        checkpoint,
        """
        {"Data": {"PodDeviceEntries": [{"PodUID": "%s", "ContainerName": "main",
          "ResourceName": "nvidia.com/gpu", "DeviceIDs": {"-1": ["%s"]}}]}}
        """
            .formatted(held.uid(), held.device()));
    var devices =
        ContainerDevices.newBuilder().setResourceName("nvidia.com/gpu").addDeviceIds(held.device());
    return start(
        host,
        PodResources.newBuilder()
            .setNamespace(held.namespace())
            .setName(held.pod())
            .addContainers(ContainerResources.newBuilder().setName("main").addDevices(devices))
            .build());
  }

  public static TestPodResources start(Path host, PodResources... pods) throws IOException {
    return new TestPodResources(host, List.of(pods));
  }

  @Override
  public void close() {
    server.shutdownNow();
    sockets.close();
  }

  private static final class Lister extends PodResourcesListerImplBase {
    private final List<PodResources> pods;

    private Lister(List<PodResources> pods) {
      this.pods = pods;
    }

    @Override
    public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> to) {
      to.onNext(ListPodResourcesResponse.newBuilder().addAllPodResources(pods).build());
      to.onCompleted();
    }
  }
}
