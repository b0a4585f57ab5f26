package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.operator.policy.LiveTemplate;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.scenario.compare.FactComparison;
import dev.pitcrew.testbed.scenario.compare.IgnoreFile;
import dev.pitcrew.testbed.scenario.facts.FactsText;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/// Our operator starts on a cluster that the reference operator has managed until now. That one
/// wrote the same templates in another form: lists in another order, scripts in other words.
@WithControlPlane
@TestInstance(Lifecycle.PER_CLASS)
class TakeoverTest {
  private static final String SCENARIO = "rdma-gds-gdrcopy";
  private static final String DRIVER = "nvidia-driver-daemonset";
  private static final String ADDON = "nvidia-fs-ctr";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Reference reference;
  private final OwnedObjects objects;
  private final Scene scene;
  private final Snapshot before;
  private final Snapshot after;
  private final ObjectNode facts;

  /// Ends with our operator running.
  TakeoverTest(ControlPlane controlPlane) throws IOException, InterruptedException {
    reference = new Reference(controlPlane.client());
    objects = new OwnedObjects(controlPlane.client());
    scene = Scene.running(SCENARIO, controlPlane);
    leaveAsReference(Reference::inAnotherForm);
    before = Snapshot.of(scene);
    scene.start(Launch.PLAIN);
    await().atMost(LIMIT).untilAsserted(() -> assertThat(writers()).containsOnly("pitcrew:Apply"));
    facts = scene.settle();
    after = Snapshot.of(scene);
  }

  @AfterAll
  void leave() {
    scene.close();
  }

  @Test
  void nothingIsRestartedRecreatedOrDeleted() throws IOException {
    assertThat(before.objects()).isNotEmpty();
    assertThat(before.pods()).isNotEmpty();
    assertThat(after).isEqualTo(before);
    assertThat(differencesFromGolden(facts)).isEmpty();
  }

  /// Both were written by the reference, and the first one by us since.
  @Test
  void scriptOfTheReferenceStaysUntilTheTemplateChanges() {
    assertThat(script()).endsWith(Reference.OTHER_WORDS);

    scene.policy().edit("{\"driver\": {\"resources\": {\"requests\": {\"cpu\": \"100m\"}}}}");

    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(script()).isNotEmpty().doesNotEndWith(Reference.OTHER_WORDS));
  }

  @Test
  void adoptedObject_isRemovedWithItsOperand() {
    assertThat(namesOf("nvidia-dcgm-exporter")).isNotEmpty();

    scene.policy().edit("{\"dcgmExporter\":{\"enabled\":false}}");

    await().atMost(LIMIT).until(() -> namesOf("nvidia-dcgm-exporter").isEmpty());
  }

  @Test
  void aVariableThatOnlyTheReferenceSetDisappears() throws IOException, InterruptedException {
    var name = "gpu-feature-discovery";
    leaveAsReference(daemonSet -> withVariable(daemonSet, name));
    assertThat(scene.workloads().environmentOf(name)).contains(new EnvVar("OLD", "1", null));

    scene.start(Launch.PLAIN);

    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(scene.workloads().environmentOf(name))
                .isNotEmpty()
                .doesNotContain(new EnvVar("OLD", "1", null)));
  }

  private String script() {
    return objects.of(scene.policy()).stream()
        .filter(object -> object.getMetadata().getName().equals(DRIVER))
        .map(DaemonSet.class::cast)
        .flatMap(daemonSet -> daemonSet.getSpec().getTemplate().getSpec().getContainers().stream())
        .filter(container -> container.getName().equals(ADDON))
        .flatMap(container -> container.getArgs().stream())
        .findFirst()
        .orElse("");
  }

  private void leaveAsReference(UnaryOperator<DaemonSet> change) throws InterruptedException {
    scene.stopOperators();
    reference.rewrite(scene.policy(), change);
    scene.settle();
    assertThat(writers()).containsOnly("gpu-operator:Update");
  }

  private static DaemonSet withVariable(DaemonSet daemonSet, String name) {
    if (daemonSet.getMetadata().getName().equals(name)) {
      var template = daemonSet.getSpec().getTemplate().getSpec();
      template.getContainers().getFirst().getEnv().add(new EnvVar("OLD", "1", null));
    }
    return daemonSet;
  }

  /// Who wrote the objects, but for their status.
  private Stream<String> writers() {
    return objects.of(scene.policy()).stream()
        .flatMap(object -> object.getMetadata().getManagedFields().stream())
        .filter(entry -> entry.getSubresource() == null && !isController(entry))
        .map(entry -> entry.getManager() + ":" + entry.getOperation())
        .distinct();
  }

  /// Of the cluster, such as the one that numbers revisions.
  private static boolean isController(ManagedFieldsEntry entry) {
    return entry.getManager().startsWith("kube-");
  }

  private List<String> namesOf(String operand) {
    return objects.of(scene.policy()).stream()
        .map(HasMetadata::getMetadata)
        .map(metadata -> metadata.getName())
        .filter(name -> name.contains(operand))
        .toList();
  }

  private static List<?> differencesFromGolden(ObjectNode facts) throws IOException {
    var golden =
        (ObjectNode)
            FactsText.parse(
                Files.readString(Scene.scenario(SCENARIO).file("golden.json").orElseThrow()));
    golden.remove("applied");
    return new FactComparison(SCENARIO, IgnoreFile.none())
        .compare(golden, facts).differences().stream()
            .filter(it -> !it.path().endsWith(LiveTemplate.KEPT_TEXTS))
            .toList();
  }

  /// What shows that an object or a pod is the same one as before.
  private record Snapshot(
      List<String> objects,
      List<String> pods,
      Map<String, Workloads.Version> daemonSets,
      List<String> revisions) {
    static Snapshot of(Scene scene) {
      var workloads = scene.workloads();
      var objects =
          new OwnedObjects(scene.client())
              .of(scene.policy()).stream()
                  .map(object -> object.getKind() + " " + object.getMetadata().getUid())
                  .sorted()
                  .toList();
      return new Snapshot(objects, workloads.pods(), workloads.versions(), workloads.revisions());
    }
  }
}
