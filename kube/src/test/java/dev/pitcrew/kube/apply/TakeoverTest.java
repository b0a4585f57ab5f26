package dev.pitcrew.kube.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.kube.apply.ApplyResult.Applied;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithControlPlane
class TakeoverTest {

  private static final String REFERENCE = "gpu-operator";

  private DriverFixture driver;
  private Applier applier;

  @BeforeEach
  void connect(KubernetesClient client, TestNamespace namespace) {
    driver = new DriverFixture(client, namespace.name());
    applier = new Applier(client, FieldManager.OPERATOR);
  }

  @Test
  void anEqualSpecKeepsItsGenerationSoThatNoPodRestarts() {
    driver.createAs(REFERENCE, driver.desired());
    long generation = driver.generation();
    assertThat(applier.apply(driver.desired(), driver.live())).isInstanceOf(Applied.class);
    assertThat(driver.generation()).isEqualTo(generation);
  }

  @Test
  void anAnnotationThatTheReferenceSetAndWeDoNotWantDisappears() {
    driver.createAs(REFERENCE, annotated("old-hash", "1"));
    long generation = driver.generation();
    applier.apply(driver.desired(), driver.live());
    assertThat(driver.annotations()).doesNotContainKey("old-hash");
    assertThat(driver.generation()).isEqualTo(generation);
  }

  @Test
  void anEnvironmentVariableThatTheReferenceSetAndWeDoNotWantDisappears() {
    driver.createAs(REFERENCE, driver.desiredWithEnvironment("OLD", "1"));
    applier.apply(driver.desired(), driver.live());
    assertThat(driver.environment()).containsExactly("KEPT");
  }

  @Test
  void fieldsOfOthersStay() {
    driver.createAs(REFERENCE, driver.desired());
    driver.mergeAs("someone", "{'metadata':{'labels':{'foreign':'1'}}}");
    applier.apply(driver.desired(), driver.live());
    assertThat(driver.labels()).containsEntry("foreign", "1");
    assertThat(driver.managers()).contains("someone:Update").doesNotContain(REFERENCE + ":Update");
  }

  @Test
  void fieldsThatBothOfUsSetBeforeAreMergedIntoOneEntry(KubernetesClient client) {
    applier.apply(driver.desired(), Optional.empty());
    driver.mergeAs(REFERENCE, "{'metadata':{'annotations':{'old-hash':'1'}}}");
    var restarted = new Applier(client, FieldManager.OPERATOR);
    restarted.apply(driver.desired(), driver.live());
    assertThat(driver.annotations()).doesNotContainKey("old-hash");
    assertThat(driver.managers())
        .filteredOn(manager -> manager.startsWith("pitcrew"))
        .containsExactly("pitcrew:Apply");
  }

  @Test
  void anObjectThatTheReferenceNeverTouchedIsNotReadFirst() {
    driver.createAs("someone", driver.desired());
    applier.apply(driver.desired(), driver.live());
    assertThat(applier.writes().counts())
        .containsOnlyKeys(new Writes.Sort(Verb.APPLY, "DaemonSet"));
  }

  private DaemonSet annotated(String key, String value) {
    return new DaemonSetBuilder(driver.desired())
        .editMetadata()
        .addToAnnotations(key, value)
        .endMetadata()
        .build();
  }
}
