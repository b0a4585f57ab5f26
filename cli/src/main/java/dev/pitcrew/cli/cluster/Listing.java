package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// Objects that are listed, and what of them is kept.
///
/// @param reader of one object
/// @param kept which of those that were read
public record Listing<T>(String path, Function<Json, T> reader, Predicate<T> kept) {
  public static final Listing<GpuNode> GPU_NODES =
      all(ClusterReading.GROUP + "/" + ClusterReading.VERSION + "/gpunodes", GpuNode::of);

  /// Nodes of which pods that ask for GPUs need to know.
  public static final Listing<KubeNode> NODES =
      new Listing<>("/api/v1/nodes", KubeNode::of, node -> node.offer().matters());

  /// Pods that have GPUs of a node.
  public static final Listing<Pod> HOLDERS =
      gpuPods("spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed");

  /// Those, and pods that wait for some.
  public static final Listing<Pod> GPU_PODS =
      gpuPods("status.phase!=Succeeded,status.phase!=Failed");

  public static final Listing<FleetSettings> FLEET_SETTINGS =
      all(Policy.Kind.FLEET_POLICY.path, FleetSettings::of);

  public static Listing<Policy> policies(Policy.Kind kind) {
    return all(kind.path, it -> Policy.of(kind, it));
  }

  static <T> Listing<T> all(String path, Function<Json, T> reader) {
    return new Listing<>(path, reader, _ -> true);
  }

  private static Listing<Pod> gpuPods(String selector) {
    return new Listing<>(
        "/api/v1/pods?fieldSelector=" + selector,
        Pod::of,
        pod -> !pod.demand().isEmpty() || !pod.claims().isEmpty());
  }

  /// Empty for an object that is not kept.
  Optional<T> read(Json object) {
    return Optional.of(reader.apply(object)).filter(kept);
  }
}
