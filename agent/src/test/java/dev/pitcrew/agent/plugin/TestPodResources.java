package dev.pitcrew.agent.plugin;

import dev.pitcrew.agent.sockets.DomainSockets;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A kubelet's word on who holds what, on its pod-resources socket and, where pods hold a device
/// each, in its checkpoint.
public final class TestPodResources implements AutoCloseable {
  private static final String SOCKET = "var/lib/kubelet/pod-resources/kubelet.sock";
  private static final String CHECKPOINT =
      "var/lib/kubelet/device-plugins/kubelet_internal_checkpoint";

  private final DomainSockets sockets = new DomainSockets();
  private final List<PodResources> pods;
  private final Server server;

  /// @param uid of the pod
  public record Held(String namespace, String pod, String uid, String device) {
    private String entry() {
      return """
      {"PodUID": "%s", "ContainerName": "main",
       "ResourceName": "nvidia.com/gpu", "DeviceIDs": {"-1": ["%s"]}}\
      """
          .formatted(uid, device);
    }

    private PodResources resources() {
      var devices =
          ContainerDevices.newBuilder().setResourceName("nvidia.com/gpu").addDeviceIds(device);
      return PodResources.newBuilder()
          .setNamespace(namespace)
          .setName(pod)
          .addContainers(ContainerResources.newBuilder().setName("main").addDevices(devices))
          .build();
    }
  }

  private TestPodResources(Path host, List<PodResources> pods) throws IOException {
    Path socket = host.resolve(SOCKET);
    Files.createDirectories(socket.getParent());
    Files.deleteIfExists(socket);
    this.pods = new CopyOnWriteArrayList<>(pods);
    server = sockets.server(socket, new Lister(this.pods)).start();
  }

  public static TestPodResources start(Path host, Held first, Held... further) throws IOException {
    List<Held> held = Stream.concat(Stream.of(first), Stream.of(further)).toList();
    Path checkpoint = host.resolve(CHECKPOINT);
    Files.createDirectories(checkpoint.getParent());
    Files.writeString(
        checkpoint,
        """
        {"Data": {"PodDeviceEntries": [%s]}}
        """
            .formatted(held.stream().map(Held::entry).collect(Collectors.joining(", "))));
    return new TestPodResources(host, held.stream().map(Held::resources).toList());
  }

  public static TestPodResources start(Path host, PodResources... pods) throws IOException {
    return new TestPodResources(host, List.of(pods));
  }

  public void add(PodResources pod) {
    pods.add(pod);
  }

  /// A pod that has ended is in no list from then on (`UpdateAllocatedDevices` of the kubelet).
  public void end(String pod) {
    pods.removeIf(it -> it.getName().equals(pod));
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
