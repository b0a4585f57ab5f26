package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What goes wrong in a cluster while a new driver is on its way: no more nodes are out of service
/// than may be, every node ends, and no cordon of ours is left.
class UpgradeFaultsTest extends UpgradeTest {
  private static final int NODES = 4;
  private static final String FINALIZER = "test.pitcrew.dev/saves-its-work";

  @Override
  void enter() throws IOException, InterruptedException {
    install(NODES);
  }

  @Test
  void nodeThatIsDeletedMidUpgrade_delaysNoOther() {
    var held = hold();
    upgrade("600.40.01");
    fleet.awaitState(held, "pod-deletion-required");

    fleet.leave(held);
    training.unpin();
    fleet.awaitDriver("600.40.01");

    assertThat(fleet.states()).hasSize(NODES - 1);
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  @Test
  void aNodeThatJoinsDuringTheRollOutHasTheNewDriverAtOnce() {
    var held = hold();
    upgrade("600.40.04");
    fleet.awaitState(held, "pod-deletion-required");

    fleet.join(NODES + 1);
    fleet.awaitDriver("600.40.04", Set.of(UpgradeFleet.name(NODES + 1)));
    assertThat(fleet.states()).containsEntry(held, "pod-deletion-required");

    training.unpin();
    fleet.awaitDriver("600.40.04");
    assertThat(fleet.mostDown()).isEqualTo(1);
    assertThat(fleet.events(UpgradeFleet.name(NODES + 1)))
        .noneMatch(it -> it.contains("pod-restart-required"));
    fleet.assertClean();
  }

  @Test
  void aStateThatIsRemovedByHandIsFoundAgain() {
    var held = hold();
    upgrade("600.40.05");
    fleet.awaitState(held, "pod-deletion-required");

    fleet.label(held, UpgradeFleet.STATE, "null");
    fleet.awaitState(held, "pod-deletion-required");
    assertThat(fleet.node(held).getSpec().getUnschedulable()).isTrue();

    training.unpin();
    fleet.awaitDriver("600.40.05");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  @Test
  void unknownState_isCorrected() {
    var held = hold();
    upgrade("600.40.06");
    fleet.awaitState(held, "pod-deletion-required");

    fleet.label(held, UpgradeFleet.STATE, "\"half-done\"");
    fleet.awaitState(held, "pod-deletion-required");

    training.unpin();
    fleet.awaitDriver("600.40.06");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  @Test
  void anEvictedPodMayTakeItsTimeToEnd() {
    training.start("slow", 1);
    var slow = training.pods("slow").getFirst();
    finalizers(slow, "[\"" + FINALIZER + "\"]");
    var node = slow.getSpec().getNodeName();
    upgrade("600.40.07");
    fleet.awaitState(node, "pod-deletion-required");
    await()
        .atMost(UpgradeFleet.LIMIT)
        .until(() -> client.resource(slow).get().getMetadata().getDeletionTimestamp() != null);

    assertThat(fleet.drivers().get(node)).doesNotContain("600.40.07");
    finalizers(slow, "null");
    fleet.awaitDriver("600.40.07");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  /// No eviction was refused, so that only the deadline wakes the operator.
  @Test
  void aPodThatDoesNotEndByTheDeadlineGivesItsNodeBack() {
    training.start("stuck", 1);
    var stuck = training.pods("stuck").getFirst();
    finalizers(stuck, "[\"" + FINALIZER + "\"]");
    var node = stuck.getSpec().getNodeName();
    scene
        .policy()
        .edit(
            """
            {"driver": {"version": "600.40.08", "upgradePolicy": {"podDeletion": {"timeoutSeconds": 3}}}}
            """);

    fleet.awaitState(node, "upgrade-failed");
    assertThat(fleet.node(node).getSpec().getUnschedulable()).isNotEqualTo(true);
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(fleet.events(node))
                .anyMatch(it -> it.contains("has not ended within 3 seconds")));
    finalizers(stuck, "null");
    replaceDriver("600.40.11");
  }

  /// No eviction was requested meanwhile: pods have their time before the node is failed.
  @Test
  void deadlineThatPassedWhileNoOperatorRan_isRestarted() throws IOException, InterruptedException {
    var held = hold();
    reports.reportOn(held);
    upgrade("600.40.09");
    reports.awaitWords(held, "PDB pinned-budget allows 0 disruptions");

    scene.stopOperators();
    kubelets.backdate(held, Duration.ofDays(1));
    var back = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    scene.start(Launch.PLAIN);
    await().atMost(UpgradeFleet.LIMIT).until(() -> !reports.since(held).isBefore(back));
    assertThat(fleet.states()).containsEntry(held, "pod-deletion-required");

    training.unpin();
    fleet.awaitDriver("600.40.09");
    fleet.assertClean();
  }

  /// The first of them has not ended yet, or the node would be free for a moment.
  @Test
  void aPodThatComesInSpiteOfTheCordonIsNamedAndNotEvictedTimeAndAgain()
      throws InterruptedException {
    training.startInSpiteOfCordons("stubborn", FIRST);
    var first = training.pods("stubborn").getFirst();
    finalizers(first, "[\"" + FINALIZER + "\"]");
    reports.reportOn(FIRST);

    upgrade("600.40.10");
    reports.awaitWords(
        FIRST, "pod default/stubborn-", "came to the node in spite of its cordon", "tolerate");
    System.out.println(reports.of(FIRST));
    var named =
        training.pods("stubborn").stream()
            .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
            .map(pod -> pod.getMetadata().getName())
            .findFirst()
            .orElseThrow();
    for (int news = 1; news <= 3; news++) {
      fleet.label(FIRST, "test.pitcrew.dev/news", "\"" + news + "\"");
      scene.settle();
    }
    assertThat(evictions(first.getMetadata().getName())).as("of the first pod").isEqualTo(1);
    assertThat(evictions(named)).as("of the pod that is named").isZero();

    client.apps().deployments().inNamespace(Training.NAMESPACE).withName("stubborn").scale(0);
    finalizers(first, "null");
    fleet.awaitDriver("600.40.10");
    assertThat(evictions(named)).as("of the pod that is named").isZero();
    fleet.assertClean();
  }

  /// How often the operator has asked the API server to evict a pod.
  private long evictions(String pod) {
    return scene.controlPlane().auditLog().requestsOf(OperatorWrites.USER).stream()
        .filter(request -> request.resource().equals("pods/eviction"))
        .filter(request -> request.name().equals(pod))
        .count();
  }

  /// A node whose upgrade stands still while its pod may not go.
  private String hold() {
    training.start("pinned", 1);
    training.pin("pinned");
    return training.pods("pinned").getFirst().getSpec().getNodeName();
  }

  private void upgrade(String version) {
    scene.policy().edit("{\"driver\": {\"version\": \"%s\"}}".formatted(version));
  }

  private void finalizers(Pod pod, String finalizers) {
    client
        .resource(pod)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"finalizers\":%s}}".formatted(finalizers));
  }
}
