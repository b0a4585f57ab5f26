package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.operator.upgrade.UpgradeMarks;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Another writer is always faster than the operator, or has the API server refuse what it does: a
/// node goes on as soon as it can, and says meanwhile why it does not.
class UpgradeObstructionsTest extends UpgradeTest {
  private static final int NODES = 4;
  private static final int MOST_REPORTS = 20_000;
  private static final int UNPROCESSABLE = 422;
  private static final String KEPT = "kept-driver-pods";
  private static final String LONG_AGO = "2026-01-01T00:00:00Z";

  @Override
  void enter() throws IOException, InterruptedException {
    install(NODES);
  }

  @AfterEach
  void letDriverPodsGo() {
    var admission = client.admissionRegistration().v1();
    admission.validatingAdmissionPolicyBindings().withName(KEPT).delete();
    admission.validatingAdmissionPolicies().withName(KEPT).delete();
  }

  /// Each report is a new version of the node, and says nothing that the operator looks at.
  @Test
  void kubeletsThatReportAllTheTime_delayNoNode() {
    var isOver = new AtomicBoolean();
    try (var kubelets = Executors.newVirtualThreadPerTaskExecutor()) {
      fleet.states().keySet().forEach(node -> kubelets.execute(() -> report(node, isOver)));
      try {
        scene.policy().edit("{\"driver\": {\"version\": \"600.61.01\"}}");
        fleet.awaitDriver("600.61.01");
      } finally {
        isOver.set(true);
      }
    }
    fleet.assertClean();
  }

  @Test
  void driverPodThatMayNotBeDeleted_isReported_andReplacedOnceItMay() {
    reports.reportOn(FIRST);
    keepDriverPods(FIRST);

    scene.policy().edit("{\"driver\": {\"version\": \"600.61.02\"}}");
    reports.awaitWords(
        FIRST,
        "the API server refused the operator's next step: ",
        "driver pods stay until Monday",
        "it is tried again within ten seconds");
    System.out.println(reports.of(FIRST));

    note(FIRST, LONG_AGO);
    var since = Instant.now();
    await("it is tried again, and again")
        .atMost(UpgradeFleet.LIMIT)
        .until(() -> refusedDeletions(since) >= 2);
    assertThat(noted(FIRST)).as("no note is made for nothing").isEqualTo(LONG_AGO);
    assertThat(reports.of(FIRST)).doesNotContain("\"deadline\"");

    letDriverPodsGo();
    fleet.awaitDriver("600.61.02");
    fleet.assertClean();
  }

  /// When the node entered its state.
  private void note(String node, String since) {
    client
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}"
                .formatted(UpgradeMarks.SINCE, since));
  }

  private String noted(String node) {
    return String.valueOf(
        client
            .nodes()
            .withName(node)
            .require()
            .getMetadata()
            .getAnnotations()
            .get(UpgradeMarks.SINCE));
  }

  private long refusedDeletions(Instant since) {
    return scene.controlPlane().auditLog().requestsOf(OperatorWrites.USER).stream()
        .filter(request -> request.received().isAfter(since))
        .filter(request -> request.verb().equals("delete") && request.resource().equals("pods"))
        .filter(request -> isRefusal(request.status()))
        .count();
  }

  private static boolean isRefusal(int status) {
    return status == UNPROCESSABLE || status == HttpURLConnection.HTTP_FORBIDDEN;
  }

  private void report(String node, AtomicBoolean isOver) {
    for (int i = 0; i < MOST_REPORTS && !isOver.get(); i++) {
      client
          .nodes()
          .withName(node)
          .subresource("status")
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              "{\"status\":{\"images\":[{\"names\":[\"example.com/a:1\"],\"sizeBytes\":%d}]}}"
                  .formatted(i));
    }
  }

  private void keepDriverPods(String node) {
    var yaml =
        """
        apiVersion: admissionregistration.k8s.io/v1
        kind: ValidatingAdmissionPolicy
        metadata: {name: %1$s}
        spec:
          matchConstraints:
            resourceRules:
            - {apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [pods]}
            objectSelector: {matchLabels: {app.kubernetes.io/component: nvidia-driver}}
          validations:
          - {expression: "false", message: driver pods stay until Monday}
        ---
        apiVersion: admissionregistration.k8s.io/v1
        kind: ValidatingAdmissionPolicyBinding
        metadata: {name: %1$s}
        spec: {policyName: %1$s, validationActions: [Deny]}
        """
            .formatted(KEPT);
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
    var pod = fleet.driver(node).orElseThrow();
    await("the policy is in force")
        .atMost(UpgradeFleet.LIMIT)
        .until(() -> {
          try {
            client.resource(pod).dryRun(true).delete();
            return false;
          } catch (KubernetesClientException e) {
            return isRefusal(e.getCode());
          }
        });
  }
}
