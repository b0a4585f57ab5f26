package dev.pitcrew.kube.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kube.apply.ApplyResult.Applied;
import dev.pitcrew.kube.apply.ApplyResult.Refused;
import dev.pitcrew.kube.apply.ApplyResult.Unchanged;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithControlPlane
class PatchesTest {

  private static final String NAME = "patched";

  private KubernetesClient client;
  private Applier applier;

  @BeforeEach
  void createNode(KubernetesClient shared) {
    client = shared;
    applier = new Applier(client, FieldManager.OPERATOR);
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(NAME)
                .addToLabels("old", "1")
                .addToLabels("same", "1")
                .endMetadata()
                .build())
        .create();
  }

  @Test
  void onlyLabelsThatDifferAreSent() {
    assertThat(patch(labels("new", "1", "same", "1", "old", null))).isInstanceOf(Applied.class);
    assertThat(live().getMetadata().getLabels())
        .containsEntry("new", "1")
        .containsEntry("same", "1")
        .doesNotContainKey("old");
    assertThat(fieldsOfOurs()).contains("f:new").doesNotContain("f:same");
  }

  @Test
  void labelsThatAreSoAlreadyCostNothing() {
    assertThat(patch(labels("same", "1", "never-there", null))).isInstanceOf(Unchanged.class);
    assertThat(applier.patchMetadata(live(), Map.of(), labels("never-there", null)))
        .isInstanceOf(Unchanged.class);
    assertThat(applier.writes().counts()).isEmpty();
  }

  @Test
  void aLabelThatIsNoLabelIsRefused() {
    assertThat(patch(labels("bad label", "1")))
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.message()).contains("bad label"));
  }

  @Test
  void heldObject_existsUntilItsFinalizerIsRemoved_andMayStillOrphanItsDependents() {
    Node node = live();
    applier.hold(node, "example.com/held");
    applier.delete(node);
    assertThat(live().getMetadata().getDeletionTimestamp()).isNotNull();
    assertThatCode(() -> applier.hold(node, "example.com/late")).doesNotThrowAnyException();

    applier.delete(node, Dependents.STAY);
    assertThat(live().getMetadata().getFinalizers()).contains("example.com/held");

    applier.release(node, "example.com/held");
    client.nodes().withName(NAME).waitUntilCondition(Objects::isNull, 60, TimeUnit.SECONDS);
    assertThatCode(() -> applier.release(node, "example.com/held")).doesNotThrowAnyException();
  }

  @Test
  void aStatusIsWrittenOnceAndSkippedWhenItIsSoAlready() throws Exception {
    JsonNode status =
        KubernetesJson.MAPPER.readTree(
            "{\"config\":null,\"capacity\":{\"x.dev/gpu\":\"8\"},\"volumesInUse\":[]}");
    assertThat(applier.patchStatus(live(), status)).isInstanceOf(Applied.class);
    assertThat(applier.patchStatus(live(), status)).isInstanceOf(Unchanged.class);
    assertThat(applier.writes().counts())
        .isEqualTo(Map.of(new Writes.Sort(Verb.STATUS, "Node"), 1L));
  }

  @Test
  void aDeletedObjectIsGoneAndDeletingItAgainIsNoError() {
    Node seen = live();
    applier.delete(seen);
    applier.delete(seen);
    assertThat(client.nodes().withName(NAME).get()).isNull();
  }

  @Test
  void aRehearsalDeletesNothing() {
    Node seen = live();
    applier.rehearseDelete(seen);
    assertThat(live().getMetadata().getDeletionTimestamp()).isNull();
    assertThat(applier.writes().counts()).isEmpty();
    applier.delete(seen);
    assertThatCode(() -> applier.rehearseDelete(seen)).doesNotThrowAnyException();
  }

  @Test
  void anObjectThatTookTheNameOfTheDeletedOneStays(KubernetesClient shared) {
    Node seen = live();
    shared.nodes().withName(NAME).delete();
    createNode(shared);
    applier.delete(seen);
    assertThat(client.nodes().withName(NAME).get()).isNotNull();
  }

  @Test
  void hooksRunAfterTheWriteHasHappened() {
    applier
        .writes()
        .afterEach(write -> assertThat(live().getMetadata().getLabels()).containsKey("hooked"));
    applier
        .writes()
        .afterEach(write -> {
          throw new IllegalStateException(write.toString());
        });
    assertThatThrownBy(() -> patch(labels("hooked", "1")))
        .hasMessage("Write[verb=PATCH, object=Node patched]");
  }

  private ApplyResult patch(Map<String, @Nullable String> labels) {
    return applier.patchMetadata(live(), labels, Map.of());
  }

  private Node live() {
    return client.nodes().withName(NAME).get();
  }

  private String fieldsOfOurs() {
    return live().getMetadata().getManagedFields().stream()
        .filter(entry -> entry.getManager().equals(FieldManager.OPERATOR.name()))
        .map(entry -> client.getKubernetesSerialization().asJson(entry.getFieldsV1()))
        .findFirst()
        .orElse("");
  }

  private static Map<String, @Nullable String> labels(@Nullable String... pairs) {
    Map<String, @Nullable String> labels = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      labels.put(String.valueOf(pairs[i]), pairs[i + 1]);
    }
    return labels;
  }
}
