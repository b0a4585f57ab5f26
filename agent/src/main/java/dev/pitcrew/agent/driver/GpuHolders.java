package dev.pitcrew.agent.driver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.pods.KubeletPods;
import dev.pitcrew.agent.pods.KubeletPods.Response;
import dev.pitcrew.core.names.GpuResources;
import dev.pitcrew.kubelet.podresources.DynamicResource;
import dev.pitcrew.kubelet.podresources.PodResources;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Asks the kubelet, over its pod-resources socket, which pods hold a GPU: those that it has
/// allocated a device to, and those that it has prepared a claim for (DRA). It leaves out pods that
/// have ended. The API server is not asked for them, because RBAC grants a list of the pods of all
/// nodes or of none.
///
/// A claim with access for administrators holds nothing, which only the API server says; a claim
/// counts as a GPU as long as it cannot be read. Kubelets before 1.34 leave claims out, unless
/// their feature gate KubeletPodResourcesDynamicResources is on; there only the kernel's counts
/// show who uses the driver.
final class GpuHolders implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(2);
  private static final String DRIVER = "gpu.nvidia.com";
  private static final int NOT_FOUND = 404;

  /// Newest first; what is read of a claim is the same in all.
  private static final List<String> VERSIONS = List.of("v1", "v1beta2", "v1beta1");

  private final Path socket;
  private final ApiServer server;
  private @Nullable KubeletPods kubelet;

  /// What the kubelet says.
  sealed interface Answer {
    /// @param names of the pods as `namespace/name`, sorted
    record Pods(List<String> names) implements Answer {
      public Pods {
        names = List.copyOf(names);
      }
    }

    /// No answer does not mean that no pod holds a GPU.
    record Unknown(String why) implements Answer {}
  }

  /// Connects to nothing yet.
  ///
  /// @param socket the kubelet's, [KubeletPods#SOCKET] of the host
  GpuHolders(Path socket, ApiServer server) {
    this.socket = socket;
    this.server = server;
  }

  Answer now() {
    return switch (kubelet().ask()) {
      case Response.Pods(var pods) ->
          new Answer.Pods(
              pods.stream()
                  .filter(this::holdsGpu)
                  .map(pod -> pod.getNamespace() + "/" + pod.getName())
                  .sorted()
                  .toList());
      case Response.NoSocket(var why) -> new Answer.Unknown(why);
      case Response.NoAnswer(var why) -> new Answer.Unknown(why);
    };
  }

  private KubeletPods kubelet() {
    if (kubelet == null) {
      kubelet = new KubeletPods(socket);
    }
    return kubelet;
  }

  private boolean holdsGpu(PodResources pod) {
    return pod.getContainersList().stream()
        .anyMatch(container ->
            container.getDevicesList().stream()
                    .anyMatch(devices -> GpuResources.isGpu(devices.getResourceName()))
                || container.getDynamicResourcesList().stream().anyMatch(this::isGpu));
  }

  private boolean isGpu(DynamicResource claim) {
    return claim.getClaimResourcesList().stream()
            .anyMatch(device -> device.getDriverName().equals(DRIVER))
        && holdsGpu(claim.getClaimNamespace(), claim.getClaimName()).orElse(true);
  }

  /// Empty where it cannot be read.
  private Optional<Boolean> holdsGpu(String namespace, String name) {
    for (String version : VERSIONS) {
      var path = ObjectPath.of("resource.k8s.io/" + version, "resourceclaims", namespace, name);
      switch (server.get(path, DEADLINE)) {
        case Reply.Done(var claim) -> {
          return Optional.of(holdsGpu(claim));
        }
        case Reply.Refused refused when refused.status() == NOT_FOUND -> {} // of this version
        case Reply.Refused _, Reply.Unanswered _ -> {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }

  private static boolean holdsGpu(JsonNode claim) {
    return claim
        .at("/status/allocation/devices/results")
        .valueStream()
        .anyMatch(result ->
            result.path("driver").asText().equals(DRIVER)
                && !result.path("adminAccess").asBoolean());
  }

  @Override
  public void close() {
    if (kubelet != null) {
      kubelet.close();
    }
  }
}
