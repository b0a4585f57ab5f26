package dev.pitcrew.kube.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.ApplyResult.Applied;
import dev.pitcrew.kube.apply.ApplyResult.Refused;
import dev.pitcrew.kube.apply.ApplyResult.Unchanged;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithControlPlane
class ApplierTest {

  private DriverFixture driver;
  private Applier applier;

  @BeforeEach
  void connect(KubernetesClient client, TestNamespace namespace) {
    driver = new DriverFixture(client, namespace.name());
    applier = new Applier(client, FieldManager.OPERATOR);
  }

  @Test
  void anObjectIsWrittenOnce() {
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Applied.class);
    assertThat(applier.apply(driver.desired(), driver.live())).isInstanceOf(Unchanged.class);
    assertThat(applies()).isEqualTo(1);
  }

  @Test
  void anObjectThatTheCacheHasNotSeenYetIsNotWrittenAgain() {
    applier.apply(driver.desired(), Optional.empty());
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Unchanged.class);
  }

  @Test
  void anObjectThatWasDeletedIsCreatedAgainOnceItIsForgotten() {
    applier.apply(driver.desired(), Optional.empty());
    driver.delete();
    applier.forget(ObjectKey.of(driver.desired()));
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Applied.class);
    assertThat(driver.live()).isPresent();
  }

  @Test
  void aWriteThatChangesNothingIsAnsweredWithTheSameVersion() {
    applier.apply(driver.desired(), Optional.empty());
    driver.awaitControllers();
    String version = driver.live().orElseThrow().getMetadata().getResourceVersion();
    applier.forget(ObjectKey.of(driver.desired()));
    assertThat(applier.apply(driver.desired(), driver.live())).isEqualTo(new Applied(version));
  }

  @Test
  void objectWhoseDeletionIsSeenBeforeTheAnswer_isCreatedAgain() {
    ObjectKey key = ObjectKey.of(driver.desired());
    whileTheAnswerIsUnderWay(() -> applier.forget(key));
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Applied.class);
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Applied.class);
    assertThat(driver.live()).isPresent();
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Unchanged.class);
  }

  @Test
  void anObjectThatAListDoesNotShowBeforeTheAnswerIsCreatedAgain() {
    whileTheAnswerIsUnderWay(() -> {
      String version = driver.list().getMetadata().getResourceVersion();
      applier.forgetMissing("DaemonSet", version, _ -> false);
    });
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Applied.class);
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Applied.class);
    assertThat(driver.live()).isPresent();
  }

  @Test
  void anObjectOfAKindThatGoesBeforeTheAnswerIsCreatedAgain() {
    whileTheAnswerIsUnderWay(() -> applier.forgetKind("DaemonSet"));
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Applied.class);
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Applied.class);
  }

  @Test
  void anObjectThatALaterListDoesNotShowIsWrittenAgain() {
    String before = driver.list().getMetadata().getResourceVersion();
    applier.apply(driver.desired(), Optional.empty());
    applier.forgetMissing("DaemonSet", before, _ -> false);
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Unchanged.class);

    driver.delete();
    String after = driver.list().getMetadata().getResourceVersion();
    applier.forgetMissing("DaemonSet", after, _ -> true);
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Unchanged.class);
    applier.forgetMissing("DaemonSet", after, _ -> false);
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Applied.class);
  }

  @Test
  void objectsOfAKindThatWentAreWrittenAgainWhenItComesBack() {
    applier.apply(driver.desired(), Optional.empty());
    applier.forgetKind("ConfigMap");
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Unchanged.class);
    applier.forgetKind("DaemonSet");
    assertThat(applier.apply(driver.desired(), Optional.empty())).isInstanceOf(Applied.class);
  }

  @Test
  void aCacheThatHasNotSeenTheLastApplyIsBehind() {
    applier.apply(driver.desired(), Optional.empty());
    DaemonSet before = driver.live().orElseThrow();
    assertThat(applier.isAheadOf(before)).isFalse();
    applier.apply(driver.desiredWithImage("driver:2"), Optional.of(before));
    assertThat(applier.isAheadOf(before)).isTrue();
    assertThat(applier.isAheadOf(driver.live().orElseThrow())).isFalse();
  }

  @Test
  void anotherDesireIsWritten() {
    applier.apply(driver.desired(), Optional.empty());
    assertThat(applier.apply(driver.desiredWithImage("driver:2"), driver.live()))
        .isInstanceOf(Applied.class);
    assertThat(driver.image()).isEqualTo("driver:2");
  }

  @Test
  void aQuantityThatTheServerNormalisesIsNoDrift() {
    applier.apply(driver.desired(), Optional.empty());
    driver.mergeAsSomeoneElse("{'metadata':{'labels':{'foreign':'1'}}}");
    assertThat(driver.cpuLimit()).isEqualTo("500m").isNotEqualTo(DriverFixture.CPU_LIMIT);
    assertThat(applier.apply(driver.desired(), driver.live())).isInstanceOf(Unchanged.class);
  }

  @Test
  void changesOfForeignFieldsCostNoWrite() {
    applier.apply(driver.desired(), Optional.empty());
    for (int flip = 0; flip < 5; flip++) {
      driver.mergeAsSomeoneElse("{'metadata':{'labels':{'foreign':'%d'}}}".formatted(flip));
      assertThat(applier.apply(driver.desired(), driver.live())).isInstanceOf(Unchanged.class);
    }
    assertThat(applies()).isEqualTo(1);
  }

  @Test
  void aForeignMemberOfAnEmptyMapOfOursIsNoDrift() {
    applier.apply(driver.desired(), Optional.empty());
    driver.mergeAsSomeoneElse(
        "{'spec':{'template':{'spec':{'volumes':[{'name':'scratch','emptyDir':{'sizeLimit':'1Gi'}}]}}}}");
    assertThat(applier.apply(driver.desired(), driver.live())).isInstanceOf(Unchanged.class);
  }

  @Test
  void anOwnedFieldThatDriftedIsPutBackAndAForeignOneLeftAlone() {
    applier.apply(driver.desired(), Optional.empty());
    driver.mergeAsSomeoneElse("{'metadata':{'labels':{'app':'hijacked','foreign':'1'}}}");
    assertThat(applier.apply(driver.desired(), driver.live())).isInstanceOf(Applied.class);
    assertThat(driver.labels()).containsEntry("app", "driver").containsEntry("foreign", "1");
    assertThat(applier.apply(driver.desired(), driver.live())).isInstanceOf(Unchanged.class);
  }

  @Test
  void anOwnedFieldThatSomeoneRemovedComesBack() {
    applier.apply(driver.desired(), Optional.empty());
    driver.mergeAsSomeoneElse("{'metadata':{'labels':{'app':null}}}");
    assertThat(applier.apply(driver.desired(), driver.live())).isInstanceOf(Applied.class);
    assertThat(driver.labels()).containsEntry("app", "driver");
  }

  @Test
  void aFieldThatIsNoLongerDesiredDisappears() {
    applier.apply(driver.desiredWithEnvironment("OLD", "1"), Optional.empty());
    applier.apply(driver.desired(), driver.live());
    assertThat(driver.environment()).doesNotContain("OLD");
  }

  @Test
  void aNewProcessAppliesOnceAndChangesNothing(KubernetesClient client) {
    applier.apply(driver.desired(), Optional.empty());
    driver.awaitControllers();
    String version = driver.version();
    var restarted = new Applier(client, FieldManager.OPERATOR);
    assertThat(restarted.apply(driver.desired(), driver.live())).isInstanceOf(Applied.class);
    assertThat(driver.version()).isEqualTo(version);
    assertThat(restarted.apply(driver.desired(), driver.live())).isInstanceOf(Unchanged.class);
  }

  @Test
  void anObjectOfTheSameNameThatSomeoneElseCreatedIsApplied() {
    applier.apply(driver.desired(), Optional.empty());
    driver.delete();
    driver.createAs("someone", driver.desired());
    assertThat(applier.apply(driver.desired(), driver.live())).isInstanceOf(Applied.class);
  }

  @Test
  void anInvalidObjectIsAValueAndNotAnException() {
    DaemonSet invalid =
        new DaemonSetBuilder(driver.desired())
            .editMetadata()
            .withName("BAD_NAME")
            .endMetadata()
            .build();
    assertThat(applier.apply(invalid, Optional.empty()))
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.message()).contains("BAD_NAME"));
  }

  @Test
  void otherRefusalsNameVerbObjectStatusAndReason() {
    DaemonSet elsewhere =
        new DaemonSetBuilder(driver.desired())
            .editMetadata()
            .withNamespace("nowhere")
            .endMetadata()
            .build();
    assertThatThrownBy(() -> applier.apply(elsewhere, Optional.empty()))
        .isInstanceOfSatisfying(KubeException.class, e -> assertThat(e.status()).isEqualTo(404))
        .hasMessage(
            "apply of DaemonSet nowhere/driver: HTTP 404: namespaces \"nowhere\" not found");
  }

  /// Another writer deletes the object as soon as the API server has taken the first apply, and
  /// what follows is seen before the answer is.
  private void whileTheAnswerIsUnderWay(Runnable seen) {
    var isFirst = new AtomicBoolean(true);
    applier
        .writes()
        .afterEach(_ -> {
          if (isFirst.getAndSet(false)) {
            driver.delete();
            seen.run();
          }
        });
  }

  private long applies() {
    return applier.writes().counts().getOrDefault(new Writes.Sort(Verb.APPLY, "DaemonSet"), 0L);
  }
}
