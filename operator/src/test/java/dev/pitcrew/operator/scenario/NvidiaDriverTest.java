package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The life of NVIDIADrivers on three nodes with two operating systems.
@WithControlPlane
class NvidiaDriverTest {
  private static final String NODES = "nvidiadriver-two-pools";
  private static final String OWNER = "nvidia.com/gpu-operator.driver.owner";
  private static final String VERSION = "feature.node.kubernetes.io/system-os_release.VERSION_ID";
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private Scene scene;
  private DriverPods drivers;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of(NODES, controlPlane);
    drivers = new DriverPods(scene.client());
    scene.startForNvidiaDrivers().awaitReady();
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void atRestNothingIsWritten() throws InterruptedException {
    driver("default").create(",\"default\":true").awaitReady();
    scene.settle();
    var rest = Instant.now();

    label("gpu-1", "team", "\"red\"");
    driver("default").edit("{\"metadata\":{\"labels\":{\"team\":\"red\"}}}");
    scene.settle();

    assertThat(scene.writes().since(rest)).isEmpty();
  }

  @Test
  void poolsComeAndGoWithTheirNodes() throws InterruptedException {
    driver("default").create(",\"default\":true").awaitReady();
    assertThat(drivers.daemonSetNames()).hasSize(2);

    label("gpu-2", VERSION, "\"22.04\"");
    await().atMost(LIMIT).until(() -> drivers.daemonSets().size() == 1);
    driver("default").awaitReady();

    driver("default").delete();
    await().atMost(LIMIT).until(() -> drivers.daemonSets().isEmpty() && drivers.all().isEmpty());
    await().atMost(LIMIT).until(() -> owner("gpu-1").isEmpty());
    await()
        .atMost(LIMIT)
        .until(() ->
            scene.client().serviceAccounts().inNamespace(Scene.NAMESPACE).list().getItems().stream()
                .noneMatch(it -> it.getMetadata().getName().startsWith("nvidia-gpu-driver-")));
  }

  @Test
  void conflict_isReportedOnThoseInIt_andStopsNoOther() throws InterruptedException {
    label("gpu-1", "team", "\"red\"");
    label("gpu-2", "age", "\"old\"");
    driver("default").create(",\"default\":true").awaitReady();
    driver("red").create(",\"nodeSelector\":{\"team\":\"red\"}").awaitReady();
    await().atMost(LIMIT).until(() -> owner("gpu-1").equals("red"));
    scene.settle();
    var pods = drivers.uids();

    driver("old").create(",\"nodeSelector\":{\"age\":\"old\"}").awaitReady();
    label("gpu-1", "age", "\"old\"");

    var words = "multiple NVIDIADrivers match the same node gpu-1: [old red]";
    driver("red").awaitError("ConflictingNodeSelector", words);
    driver("old").awaitError("ConflictingNodeSelector", words);
    driver("default").awaitReady();
    assertThat(owner("gpu-1")).isEqualTo("red");
    assertThat(drivers.uids()).containsEntry("gpu-1", pods.get("gpu-1"));

    label("gpu-1", "age", "null");
    driver("red").awaitReady();
    driver("old").awaitReady();
  }

  @Test
  void anImageThatIsMissingForOneKernelHoldsUpNoOther() throws InterruptedException {
    label("gpu-3", "feature.node.kubernetes.io/kernel-version.full", "\"9.9.9-new\"");
    driver("default").create(",\"default\":true,\"usePrecompiled\":true").awaitReady();
    assertThat(drivers.daemonSetNames()).hasSize(3);

    pullFails("gpu-3");

    String message = driver("default").awaitError("DriverNotReady", "ImagePullBackOff");
    assertThat(message).contains("gpu-3", "not found").doesNotContain("gpu-1", "gpu-2");
    assertThat(drivers.uids()).hasSize(3);
  }

  @Test
  void anEditOfReferencedContentReachesDriversOnlyWhereItIsAskedFor() throws InterruptedException {
    parameters("one");
    driver("default")
        .create(",\"default\":true,\"kernelModuleConfig\":{\"name\":\"params\"}")
        .awaitReady();
    var plain = digests();

    parameters("two");
    scene.settle();
    assertThat(digests()).isEqualTo(plain);

    driver("default")
        .edit("{\"metadata\":{\"annotations\":{\"pitcrew.dev/roll-on-content\":\"true\"}}}");
    await().atMost(LIMIT).until(() -> !digests().equals(plain));
    var asked = digests();
    parameters("three");
    await().atMost(LIMIT).until(() -> !digests().equals(asked));
  }

  private Map<String, String> digests() {
    return drivers.daemonSets().stream()
        .collect(Collectors.toMap(it -> it.getMetadata().getName(), drivers::digestOf));
  }

  private void parameters(String value) {
    scene
        .client()
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName("params")
                .withNamespace(Scene.NAMESPACE)
                .endMetadata()
                .addToData("nvidia.conf", value)
                .build())
        .createOr(existing -> existing.update());
  }

  private NvidiaDriver driver(String name) {
    return new NvidiaDriver(scene.client(), name);
  }

  private void label(String node, String key, String value) {
    scene
        .client()
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"labels\":{\"%s\":%s}}}".formatted(key, value));
  }

  private String owner(String node) {
    return scene
        .client()
        .nodes()
        .withName(node)
        .get()
        .getMetadata()
        .getLabels()
        .getOrDefault(OWNER, "");
  }

  /// Says what a kubelet says that finds no image.
  private void pullFails(String node) {
    Pod pod =
        drivers.all().stream()
            .filter(it -> it.getSpec().getNodeName().equals(node))
            .findFirst()
            .orElseThrow();
    scene
        .client()
        .resource(pod)
        .editStatus(live ->
            new PodBuilder(live)
                .editStatus()
                .editMatchingCondition(condition -> condition.getType().equals("Ready"))
                .withStatus("False")
                .endCondition()
                .editMatchingContainerStatus(it -> it.getName().equals("nvidia-driver-ctr"))
                .withReady(false)
                .withNewState()
                .withNewWaiting()
                .withReason("ImagePullBackOff")
                .withMessage("not found")
                .endWaiting()
                .endState()
                .endContainerStatus()
                .endStatus()
                .build());
  }
}
