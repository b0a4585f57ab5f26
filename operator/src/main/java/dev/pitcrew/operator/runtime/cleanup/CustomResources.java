package dev.pitcrew.operator.runtime.cleanup;

import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.policy.HandOver;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// Lists, deletes and awaits custom resources and the DaemonSets that they own.
final class CustomResources {
  private static final Duration UNTIL_ENDED = Duration.ofSeconds(40);

  /// The label of a driver's pods, whatever DaemonSet brings them.
  private static final String COMPONENT = "app.kubernetes.io/component";

  private static final String DRIVER = "nvidia-driver";

  private final KubernetesClient client;
  private final Applier applier;
  private final Deadline deadline;
  private final Consumer<String> progress;

  CustomResources(
      KubernetesClient client, Applier applier, Deadline deadline, Consumer<String> progress) {
    this.client = client;
    this.applier = applier;
    this.deadline = deadline;
    this.progress = progress;
  }

  /// Starts the deletion of every object of that kind and returns their uids.
  Set<String> delete(CustomResourceKind kind) {
    List<? extends HasMetadata> objects = list(kind);
    for (HasMetadata object : objects) {
      progress.accept("deleting " + named(object));
      client
          .genericKubernetesResources(kind.context())
          .withName(object.getMetadata().getName())
          .delete();
    }
    return objects.stream()
        .map(object -> object.getMetadata().getUid())
        .collect(Collectors.toSet());
  }

  /// Waits by watch until no object of that kind is left, and names those that are when time is up.
  List<String> awaitGone(CustomResourceKind kind) {
    if (!list(kind).isEmpty()) {
      progress.accept("waiting until every " + kind.kind() + " is gone");
      deadline.await(
          client.genericKubernetesResources(kind.context()).informOnCondition(List::isEmpty));
    }
    return list(kind).stream().map(CustomResources::named).toList();
  }

  /// Lets DaemonSets go that an operator held for an NVIDIADriver to take their pods over: by now
  /// there is none, and the operator may have gone, too.
  ///
  /// @param left gets those that the API server does not delete, and why
  /// @return uids of those that go now
  Set<String> releaseDaemonSets(String namespace, List<String> left) {
    return client.apps().daemonSets().inNamespace(namespace).list().getItems().stream()
        .filter(HandOver::isHeld)
        .filter(it -> succeeds(it, left, () -> applier.release(it, HandOver.FINALIZER)))
        .filter(HandOver::isDeleted)
        .map(daemonSet -> daemonSet.getMetadata().getUid())
        .collect(Collectors.toSet());
  }

  /// Deletes driver pods that were left behind for an NVIDIADriver that did not take them over.
  ///
  /// @param left gets those that the API server does not delete, and why
  void deleteOrphanedDrivers(String namespace, List<String> left) {
    client.pods().inNamespace(namespace).withLabel(COMPONENT, DRIVER).list().getItems().stream()
        .filter(pod -> pod.getMetadata().getOwnerReferences().isEmpty())
        .forEach(pod -> {
          progress.accept("deleting %s, which no DaemonSet has".formatted(named(pod)));
          var _ = succeeds(pod, left, () -> applier.delete(pod));
        });
  }

  private static boolean succeeds(HasMetadata object, List<String> left, Runnable write) {
    try {
      write.run();
      return true;
    } catch (KubeException e) {
      left.add("%s (%s)".formatted(named(object), e.getMessage()));
      return false;
    }
  }

  /// Waits by watch until no DaemonSet in the namespace is one of these, by its uid or that of an
  /// owner, and names those that are when time is up.
  List<String> awaitDaemonSetsGone(String namespace, Set<String> owners) {
    var daemonSets = client.apps().daemonSets().inNamespace(namespace);
    List<String> left = owned(daemonSets.list().getItems(), owners);
    if (left.isEmpty()) {
      return left;
    }
    progress.accept("waiting until %d DaemonSets are gone".formatted(left.size()));
    deadline.await(daemonSets.informOnCondition(current -> owned(current, owners).isEmpty()));
    return owned(daemonSets.list().getItems(), owners);
  }

  /// Waits by watch until no pod of the agent runs, and no longer than such a pod may take to end:
  /// those of a dead node never go.
  void awaitAgentsGone(String namespace) {
    var agents = client.pods().inNamespace(namespace).withLabel("app", Agent.NAME);
    if (!agents.list().getItems().isEmpty()) {
      progress.accept("waiting until the agents have ended");
      deadline.within(UNTIL_ENDED).await(agents.informOnCondition(List::isEmpty));
    }
  }

  /// Empty too where the kind does not exist.
  private List<? extends HasMetadata> list(CustomResourceKind kind) {
    try {
      return client.genericKubernetesResources(kind.context()).list().getItems();
    } catch (KubernetesClientException failure) {
      if (failure.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return List.of();
      }
      throw failure;
    }
  }

  private static List<String> owned(List<? extends HasMetadata> objects, Set<String> owners) {
    return objects.stream()
        .filter(object ->
            owners.contains(object.getMetadata().getUid())
                || object.getMetadata().getOwnerReferences().stream()
                    .anyMatch(owner -> owners.contains(owner.getUid())))
        .map(CustomResources::named)
        .toList();
  }

  private static String named(HasMetadata object) {
    return object.getKind() + "/" + object.getMetadata().getName();
  }
}
