package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What others do to the operator's objects: its own fields come back, everything else is left
/// alone. Nothing but a watch can be the cause: the operator has no resync period.
@WithControlPlane
@TestInstance(Lifecycle.PER_CLASS)
class DriftTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /// In which the API server counts the versions of a DaemonSet.
  private static final String COUNTER = "deprecated.daemonset.template.generation";

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Scene scene;
  private final OwnedObjects objects;

  DriftTest(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.running("default-one-gpu-node", controlPlane);
    objects = new OwnedObjects(controlPlane.client());
  }

  @AfterAll
  void leave() {
    scene.close();
  }

  /// @param path of a field that the operator sets, as a JSON pointer
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          DaemonSet          | /spec/template/spec/containers/0/env/0/value | "other"
          DaemonSet          | /spec/template/spec/priorityClassName | "system-cluster-critical"
          ConfigMap          | /data | {}
          Role               | /rules | []
          ClusterRole        | /rules | []
          RoleBinding        | /subjects | []
          ClusterRoleBinding | /subjects | []
          Service            | /spec/selector | {"app": "other"}
          Service            | /metadata/labels | {}
          DaemonSet          | /metadata/labels | {}
          """)
  void aFieldOfOursComesBack(String kind, String path, String value) {
    var before = first(kind);
    var patch = "[{\"op\":\"replace\",\"path\":\"%s\",\"value\":%s}]".formatted(path, value);
    scene.client().resource(before).patch(PatchContext.of(PatchType.JSON), patch);

    await().atMost(LIMIT).untilAsserted(() -> assertSameContent(before, live(before)));
    assertThat(present(before).getMetadata().getUid()).isEqualTo(before.getMetadata().getUid());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DaemonSet",
        "ConfigMap",
        "ServiceAccount",
        "Service",
        "Role",
        "RoleBinding",
        "ClusterRole",
        "ClusterRoleBinding",
        "RuntimeClass"
      })
  void aDeletedObjectComesBack(String kind) {
    var before = first(kind);
    scene.client().resource(before).delete();

    await()
        .atMost(LIMIT)
        .until(() -> {
          var now = live(before);
          return now != null && !now.getMetadata().getUid().equals(before.getMetadata().getUid());
        });
  }

  @Test
  void fieldsOfOtherWriters_areLeftAlone() throws InterruptedException {
    var before = first("DaemonSet");
    var patch = "{\"metadata\":{\"annotations\":{\"example.com/note\":\"mine\"}}}";
    scene.client().resource(before).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    var version = present(before).getMetadata().getResourceVersion();

    scene.settle();

    var after = present(before).getMetadata();
    assertThat(after.getAnnotations()).containsEntry("example.com/note", "mine");
    assertThat(after.getResourceVersion()).isEqualTo(version);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nvidia.com/gpu.present", "nvidia.com/gpu.deploy.driver"})
  void aNodeLabelComesBack(String label) {
    var node = scene.client().nodes().withName("gpu-1");
    assertThat(node.get().getMetadata().getLabels()).containsEntry(label, "true");
    node.patch(
        PatchContext.of(PatchType.JSON_MERGE),
        "{\"metadata\":{\"labels\":{\"%s\":null}}}".formatted(label));

    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(node.get().getMetadata().getLabels()).containsEntry(label, "true"));
  }

  private HasMetadata first(String kind) {
    return objects.of(scene.policy()).stream()
        .filter(object -> object.getKind().equals(kind))
        .findFirst()
        .orElseThrow();
  }

  private @Nullable HasMetadata live(HasMetadata object) {
    return scene.client().resource(object).get();
  }

  private HasMetadata present(HasMetadata object) {
    return scene.client().resource(object).require();
  }

  private void assertSameContent(HasMetadata before, @Nullable HasMetadata after) {
    assertThat(content(after)).isEqualTo(content(before));
  }

  /// All but what changes with every write.
  private JsonNode content(@Nullable HasMetadata object) {
    ObjectNode content = JSON.valueToTree(object);
    content.remove("status");
    var metadata = content.withObject("/metadata").retain("labels", "annotations", "name");
    metadata.withObject("/annotations").remove(COUNTER);
    return content;
  }
}
