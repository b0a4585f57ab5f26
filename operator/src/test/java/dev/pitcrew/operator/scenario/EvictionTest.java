package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import dev.pitcrew.testbed.nodes.ReportingAgents;
import dev.pitcrew.testbed.trouble.HeldWrite;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Pods that a change of MIG waits for, as an agent names them, are evicted by the operator alone,
/// through a real API server that knows their disruption budgets, and with the chart's rights.
class EvictionTest extends SharedSceneTest {
  private static final String NAMESPACE = "default";
  private static final String NODE = "h100-1";
  private static final String OTHER = "mig-1";
  private static final Duration LIMIT = Duration.ofSeconds(90);

  /// The operator waits ten seconds for an answer, and goes on then.
  private static final Duration WHILE_HELD = Duration.ofSeconds(8);

  @Override
  void enter() throws IOException, InterruptedException {
    create(NodeTemplate.gpu("h100").withAllocatable("nvidia.com/gpu", "8").node(1));
    create(NodeTemplate.gpu("mig").node(1));
    scene.gate(); // before the operator starts, whose writes it is to see
    scene.serve("default-one-gpu-node");
    fleet.create();
    try (var _ = new ReportingAgents(client)) {
      await("the agent has replaced the operands")
          .atMost(LIMIT)
          .until(() -> !scene.workloads().versions().containsKey("nvidia-device-plugin-daemonset"));
    }
  }

  @Override
  void undo() {
    client.policy().v1().podDisruptionBudget().inNamespace(NAMESPACE).delete();
    client.apps().daemonSets().inNamespace(NAMESPACE).delete();
    client.pods().inNamespace(NAMESPACE).withGracePeriod(0).delete();
    client.events().v1().events().inNamespace(NAMESPACE).delete();
    report();
    reportOf(OTHER);
    await().atMost(LIMIT).until(() -> blocked().isEmpty());
  }

  @Override
  public void leave() {
    try (var _ = scene) {
      gpuNode(NODE).delete();
      gpuNode(OTHER).delete();
      fleet.delete();
    }
  }

  @Test
  void aPodInTheWayIsEvictedUnlessABudgetIsAgainstIt() throws InterruptedException {
    Pod free = running(pod("free", NODE, ""));
    Pod guarded = running(pod("guarded", NODE, ""));
    Pod daemon =
        running(
            pod(
                "daemon",
                NODE,
                "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: collector, uid: %s}]"
                    .formatted(create(daemonSet()).getMetadata().getUid())));
    Pod elsewhere = running(pod("elsewhere", OTHER, ""));
    Pod twice = running(pod("twice", NODE, ""));
    create(budget("guarded"));
    create(budget("twice"));
    create(budget("twice-more", "twice"));
    awaitBudgetSeen();

    report(free, guarded, daemon, elsewhere, twice);
    scene.settle();
    assertThat(exists(free)).as("no pod is evicted where FleetPolicy does not say so").isTrue();
    assertThat(blocked()).isEmpty();

    fleet.edit("{\"mig\": {\"busy\": \"Evict\"}}");
    await().atMost(LIMIT).until(() -> !exists(free));
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(blocked())
                .anyMatch(
                    it -> it.contains("pod default/guarded: PDB guarded allows 0 disruptions"))
                .anyMatch(it -> it.contains("pod default/daemon is of DaemonSet collector"))
                .anyMatch(it -> it.contains("pod default/elsewhere is not on node h100-1"))
                .anyMatch(it -> it.contains("pod default/twice: several PDBs select it")));
    assertThat(List.of(exists(guarded), exists(daemon), exists(elsewhere), exists(twice)))
        .doesNotContain(false);
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(events("guarded", NODE))
                .anyMatch(it -> it.startsWith("guarded EvictionBlocked"))
                .anyMatch(it -> it.startsWith(NODE + " EvictionBlocked")));
    assertThat(events("free")).singleElement().asString().contains("free Evicted FleetPolicy");

    // The budget is deleted: the pod is evicted without another change.
    client.policy().v1().podDisruptionBudget().inNamespace(NAMESPACE).delete();
    await().atMost(LIMIT).until(() -> !exists(guarded) && !exists(twice));

    report();
    await().atMost(LIMIT).until(() -> blocked().isEmpty());
    assertThat(exists(daemon)).isTrue();
  }

  /// It was over when it was looked at, and the agent has nothing new to say.
  @Test
  void aPodThatIsStillNamedIsLookedAtAgain() throws InterruptedException {
    fleet.edit("{\"mig\": {\"busy\": \"Evict\"}}");
    Pod trainer = phase(create(pod("trainer", NODE, "")), "Succeeded");
    report(trainer);
    scene.settle();
    assertThat(exists(trainer)).isTrue();

    phase(trainer, "Running");
    await().atMost(LIMIT).until(() -> !exists(trainer));
  }

  @Test
  void aLaterPodOfTheSameNameStays() throws InterruptedException {
    Pod before = running(pod("trainer", NODE, ""));
    client.resource(before).withGracePeriod(0).delete();
    await().atMost(LIMIT).until(() -> !exists(before));
    Pod after = running(pod("trainer", NODE, ""));
    fleet.edit("{\"mig\": {\"busy\": \"Evict\"}}");

    report(before);
    scene.settle();

    assertThat(exists(after)).isTrue();
    assertThat(blocked()).isEmpty();
  }

  /// The API server may take its time for each of them.
  @Test
  void podsThatAreToGoDoNotWaitForEachOther() throws InterruptedException {
    var pods =
        List.of(
            running(pod("first", NODE, "")),
            running(pod("second", NODE, "")),
            running(pod("third", OTHER, "")));
    HeldWrite held = scene.gate().hold("create Eviction");
    fleet.edit("{\"mig\": {\"busy\": \"Evict\"}}");

    try {
      report(pods.get(0), pods.get(1));
      reportOf(OTHER, pods.get(2));
      held.awaitHeld(LIMIT);
      await().atMost(WHILE_HELD).until(() -> pods.stream().filter(this::exists).count() == 1);
    } finally {
      held.allow();
    }
    await().atMost(LIMIT).until(() -> pods.stream().noneMatch(this::exists));
  }

  private void report(Pod... pods) {
    reportOf(NODE, pods);
  }

  /// As the agent of the node does.
  private void reportOf(String node, Pod... pods) {
    String named =
        Arrays.stream(pods)
            .map(Pod::getMetadata)
            .map(it ->
                "{\"namespace\": \"%s\", \"name\": \"%s\", \"uid\": \"%s\"}"
                    .formatted(it.getNamespace(), it.getName(), it.getUid()))
            .collect(Collectors.joining(","));
    gpuNode(node)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"status\": {\"mig\": {\"desired\": \"halves\", \"inTheWay\": [%s]}}}"
                .formatted(named));
  }

  private List<String> blocked() {
    JsonNode live = new ObjectMapper().valueToTree(gpuNode(NODE).get());
    return live.at("/status/eviction/blocked").findValuesAsText("message");
  }

  /// The controller has counted what the budget allows.
  private void awaitBudgetSeen() {
    await()
        .atMost(LIMIT)
        .until(() -> {
          PodDisruptionBudget live =
              client
                  .policy()
                  .v1()
                  .podDisruptionBudget()
                  .inNamespace(NAMESPACE)
                  .withName("guarded")
                  .get();
          return live.getStatus() != null
              && live.getStatus().getObservedGeneration() != null
              && live.getStatus().getExpectedPods() != null
              && live.getStatus().getExpectedPods() == 1;
        });
  }

  private boolean exists(Pod pod) {
    Pod live = client.pods().inNamespace(NAMESPACE).withName(pod.getMetadata().getName()).get();
    return live != null
        && live.getMetadata().getUid().equals(pod.getMetadata().getUid())
        && live.getMetadata().getDeletionTimestamp() == null;
  }

  private List<String> events(String... about) {
    return client.events().v1().events().inNamespace(NAMESPACE).list().getItems().stream()
        .filter(event -> "pitcrew".equals(event.getReportingController()))
        .filter(event -> List.of(about).contains(event.getRegarding().getName()))
        .map(EvictionTest::text)
        .toList();
  }

  private static String text(Event event) {
    return "%s %s %s".formatted(event.getRegarding().getName(), event.getReason(), event.getNote());
  }

  private Resource<GenericKubernetesResource> gpuNode(String name) {
    return client.genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode").withName(name);
  }

  private Pod running(Pod pod) {
    return phase(create(pod), "Running");
  }

  private Pod phase(Pod pod, String phase) {
    String status =
        "{\"status\": {\"phase\": \"%s\", \"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}}";
    return client
        .resource(pod)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), status.formatted(phase));
  }

  private <T extends HasMetadata> T create(T object) {
    return client.resource(object).create();
  }

  private static PodDisruptionBudget budget(String app) {
    return budget(app, app);
  }

  private static PodDisruptionBudget budget(String name, String app) {
    return Serialization.unmarshal(
        """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {name: %1$s, namespace: %2$s}
        spec: {minAvailable: 1, selector: {matchLabels: {app: %3$s}}}
        """
            .formatted(name, NAMESPACE, app),
        PodDisruptionBudget.class);
  }

  /// On no node.
  private static DaemonSet daemonSet() {
    return Serialization.unmarshal(
        """
        apiVersion: apps/v1
        kind: DaemonSet
        metadata: {name: collector, namespace: %1$s}
        spec:
          selector: {matchLabels: {app: collector}}
          template:
            metadata: {labels: {app: collector}}
            spec:
              nodeSelector: {nowhere: "true"}
              containers: [{name: main, image: example.com/i}]
        """
            .formatted(NAMESPACE),
        DaemonSet.class);
  }

  private static Pod pod(String name, String node, String metadata) {
    return Serialization.unmarshal(
        """
        metadata:
          name: %1$s
          namespace: %2$s
          labels: {app: %1$s}
          %4$s
        spec:
          nodeName: "%3$s"
          terminationGracePeriodSeconds: 0
          containers: [{name: main, image: example.com/i}]
        """
            .formatted(name, NAMESPACE, node, metadata),
        Pod.class);
  }
}
