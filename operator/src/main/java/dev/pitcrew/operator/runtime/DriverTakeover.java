package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.node.SameDriver;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.operator.driver.Adoption;
import dev.pitcrew.operator.node.DriverOwners;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes over the driver pods that a ClusterPolicy has left behind, without restarting them. What
/// is to be done is looked up from the API server, and only when a DaemonSet is about to be created
/// or finds no room on a node: there are as many driver pods as nodes.
///
/// For use by one thread at a time.
final class DriverTakeover {
  private static final Logger log = LoggerFactory.getLogger(DriverTakeover.class);
  private static final String COMPONENT = "app.kubernetes.io/component";

  /// A pod may have no room for many reasons, and all driver pods are listed to look for this one.
  private static final Duration UNTIL_LOOKED_AGAIN = Duration.ofSeconds(30);

  private final KubernetesClient client;
  private final Caches caches;
  private final Applier applier;
  private final InstantSource clock;
  private final Map<String, Instant> looked = new HashMap<>();

  DriverTakeover(KubernetesClient client, Caches caches, Applier applier, InstantSource clock) {
    this.client = client;
    this.caches = caches;
    this.applier = applier;
    this.clock = clock;
  }

  /// Gives DaemonSets the pods that they would find on their nodes.
  ///
  /// @param lacking those that do not exist yet, or have a pod without room
  /// @return what has to be waited for before those of them that do not exist may be created
  Optional<String> prepare(List<DaemonSet> lacking, DriverOwners owners) {
    List<DaemonSet> due = lacking.stream().filter(this::isDue).toList();
    if (due.isEmpty()) {
      return Optional.empty();
    }
    return leaving()
        .or(() ->
            orphans().stream()
                .map(pod -> adopt(pod, due, owners))
                .flatMap(Optional::stream)
                .findFirst());
  }

  private boolean isDue(DaemonSet daemonSet) {
    String name = daemonSet.getMetadata().getName();
    if (caches.live(daemonSet).isEmpty()) {
      looked.remove(name);
      return true;
    }
    Instant now = clock.instant();
    @Nullable Instant last = looked.get(name);
    if (last != null && now.isBefore(last.plus(UNTIL_LOOKED_AGAIN))) {
      return false;
    }
    looked.put(name, now);
    return true;
  }

  /// The pods of a DaemonSet on its way out still belong to it.
  private Optional<String> leaving() {
    return caches.daemonSets().stream()
        .filter(Owners::isOfPolicy)
        .filter(daemonSet -> label(daemonSet, COMPONENT).equals("nvidia-driver"))
        .map(daemonSet -> daemonSet.getMetadata().getName())
        .sorted()
        .findFirst()
        .map(name -> "DaemonSet " + name + " of the ClusterPolicy has to go first");
  }

  private List<Pod> orphans() {
    return client
        .pods()
        .inNamespace(caches.namespace())
        .withLabelIn(COMPONENT, "nvidia-driver", "nvidia-vgpu-host-manager")
        .list()
        .getItems()
        .stream()
        .filter(Adoption::isOrphan)
        .toList();
  }

  /// A pod on a node that the DaemonSet does not select yet would be deleted as soon as it belongs
  /// to it.
  private Optional<String> adopt(Pod pod, List<DaemonSet> lacking, DriverOwners owners) {
    return caches
        .nodes()
        .get("", pod.getSpec().getNodeName())
        .flatMap(node -> adopt(pod, node, lacking, owners));
  }

  private Optional<String> adopt(Pod pod, Node node, List<DaemonSet> lacking, DriverOwners owners) {
    Map<String, String> labels = labels(node);
    for (DaemonSet daemonSet : lacking) {
      if (Adoption.isDue(pod, daemonSet, labels)) {
        return adopt(pod, node, daemonSet);
      }
      var soon = new HashMap<>(labels);
      owners.ownerOf(labels).ifPresent(owner -> soon.put(NodeLabels.DRIVER_OWNER, owner));
      if (Adoption.isDue(pod, daemonSet, soon)) {
        return Optional.of(
            "node %s has to be labelled before its pod %s can be taken over"
                .formatted(node.getMetadata().getName(), pod.getMetadata().getName()));
      }
    }
    return Optional.empty();
  }

  private Optional<String> adopt(Pod pod, Node node, DaemonSet daemonSet) {
    Optional<String> digest = Adoption.digest(pod, daemonSet);
    // Before the pod: once the pod has an owner, it is not checked again.
    digest.ifPresent(wanted -> annotate(node, pod, wanted));
    Map<String, @Nullable String> annotations = new HashMap<>();
    annotations.put(Adoption.DIGEST, digest.orElse(null));
    return switch (applier.patchMetadata(pod, Adoption.labels(daemonSet), annotations)) {
      case ApplyResult.Applied _ -> {
        log.info(
            "pod {} is taken over by DaemonSet {}",
            pod.getMetadata().getName(),
            daemonSet.getMetadata().getName());
        yield Optional.empty();
      }
      case ApplyResult.Unchanged _ -> Optional.empty();
      case ApplyResult.Refused(String message) ->
          Optional.of(
              "the API server refused to label pod %s: %s"
                  .formatted(pod.getMetadata().getName(), message));
    };
  }

  /// The driver's digest on the node is still the old one, and the next pod would take the driver
  /// for another.
  private void annotate(Node node, Pod pod, String digest) {
    Adoption.effectiveDigest(pod)
        .flatMap(installed -> SameDriver.of(installed, digest))
        .ifPresent(same -> annotate(node, same));
  }

  private void annotate(Node node, SameDriver same) {
    if (applier.patchMetadata(node, Map.of(), Map.of(SameDriver.ANNOTATION, same.text()))
        instanceof ApplyResult.Refused(String message)) {
      log.warn(
          "node {} cannot be annotated with {}, so its next driver pod reloads the same driver: {}",
          node.getMetadata().getName(),
          SameDriver.ANNOTATION,
          message);
    }
  }

  private static Map<String, String> labels(Node node) {
    return Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
  }

  private static String label(HasMetadata object, String key) {
    return Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.<String, String>of())
        .getOrDefault(key, "");
  }
}
