package dev.pitcrew.cli.cluster;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Reads which images the operator has nodes pull.
public final class ImageReading {
  private final ClusterReading cluster;

  public ImageReading(ClusterReading cluster) {
    this.cluster = cluster;
  }

  /// Namespaces in which an operator's Deployment is, NVIDIA's or ours.
  public List<String> operators() {
    return new RolloutReading(cluster).operators();
  }

  /// Of the operator and all that its policies own in its namespace.
  public Supplier<List<PulledImage>> pulled(String namespace) {
    var deployments = list(namespace, "deployments", "Deployment");
    var daemonSets = list(namespace, "daemonsets", "DaemonSet");
    return () ->
        Stream.of(deployments, daemonSets)
            .flatMap(it -> it.get().stream())
            .flatMap(List::stream)
            .toList();
  }

  private Supplier<List<List<PulledImage>>> list(String namespace, String resource, String kind) {
    return cluster.all(
        "/apis/apps/v1/namespaces/%s/%s".formatted(namespace, resource),
        it -> PulledImage.of(kind, it));
  }

  /// Of all pods of the namespace; empty where the user may not list them.
  public Supplier<Optional<List<RunningImage>>> running(String namespace) {
    var pods =
        cluster.allIfAny("/api/v1/namespaces/%s/pods".formatted(namespace), RunningImage::of);
    return () -> pods.get().map(all -> all.stream().flatMap(List::stream).toList());
  }
}
