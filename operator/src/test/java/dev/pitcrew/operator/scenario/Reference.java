package dev.pitcrew.operator.scenario;

import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.scenario.facts.RecordedKind;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Makes a cluster that an operator of ours has left look as the reference operator leaves one: all
/// objects and node labels written by update under the reference's name, with its annotation by
/// from which it knows whether it must write.
record Reference(KubernetesClient client) {
  static final String MANAGER = "gpu-operator";
  static final String HASH = "nvidia.com/last-applied-hash";

  /// At the end of each script that [#inAnotherForm] rewords.
  static final String OTHER_WORDS = "# in other words\n";

  /// Writes everything again that the policy owns.
  ///
  /// @param change of each DaemonSet, for what the reference says differently
  void rewrite(Policy policy, UnaryOperator<DaemonSet> change) {
    var owned = new OwnedObjects(client);
    var objects = owned.of(policy);
    objects.forEach(object -> client.resource(object).delete());
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> owned.of(policy).isEmpty() && new Workloads(client).pods().isEmpty());
    objects.stream()
        .map(object -> object instanceof DaemonSet daemonSet ? change.apply(daemonSet) : object)
        .map(Reference::fresh)
        .forEach(this::create);
    client.nodes().list().getItems().forEach(node -> relabel(node.getMetadata()));
  }

  /// A DaemonSet whose template says the same, as another operator would write it: lists whose
  /// order has no meaning the other way round, scripts in other words.
  static DaemonSet inAnotherForm(DaemonSet daemonSet) {
    var pod = daemonSet.getSpec().getTemplate().getSpec();
    pod.setVolumes(pod.getVolumes().reversed());
    Stream.of(pod.getInitContainers(), pod.getContainers())
        .flatMap(List::stream)
        .forEach(container -> {
          container.setEnv(container.getEnv().reversed());
          container.setVolumeMounts(container.getVolumeMounts().reversed());
          container.setArgs(container.getArgs().stream().map(Reference::reworded).toList());
        });
    return daemonSet;
  }

  private static String reworded(String argument) {
    return argument.contains("\n") ? argument + OTHER_WORDS : argument;
  }

  private void create(HasMetadata object) {
    var kind =
        Stream.of(RecordedKind.values())
            .filter(each -> each.kind().equals(object.getKind()))
            .findFirst()
            .orElseThrow();
    client.raw(kind.path(Scene.NAMESPACE) + "?fieldManager=" + MANAGER, "POST", object);
  }

  /// The object as a client sends one that is not there yet.
  private static HasMetadata fresh(HasMetadata object) {
    ObjectMeta metadata = object.getMetadata();
    metadata.setUid(null);
    metadata.setResourceVersion(null);
    metadata.setCreationTimestamp(null);
    metadata.setGeneration(null);
    metadata.setManagedFields(List.of());
    switch (object) {
      case DaemonSet daemonSet -> {
        daemonSet.setStatus(new DaemonSetStatus());
        metadata.getAnnotations().put(HASH, "1234567890");
      }
      case Service service -> {
        service.getSpec().setClusterIP(null);
        service.getSpec().setClusterIPs(List.of());
      }
      default -> {}
    }
    return object;
  }

  private void relabel(ObjectMeta node) {
    var ours = new HashMap<String, @Nullable String>();
    node.getLabels()
        .forEach((key, value) -> {
          if (key.startsWith("nvidia.com/")) {
            ours.put(key, value);
          }
        });
    var none = new HashMap<String, @Nullable String>();
    ours.keySet().forEach(key -> none.put(key, null));
    patchLabels(node.getName(), none);
    patchLabels(node.getName(), ours);
  }

  private void patchLabels(String node, Map<String, @Nullable String> labels) {
    var merge =
        new PatchContext.Builder()
            .withPatchType(PatchType.JSON_MERGE)
            .withFieldManager(MANAGER)
            .build();
    var patch = Map.of("metadata", Map.of("labels", labels));
    client.nodes().withName(node).patch(merge, client.getKubernetesSerialization().asJson(patch));
  }
}
