package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.node.ProbePod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

// Test budget 150 s: a call of the kubelet that is refused is repeated after some time.
/// A node moves between the agent and another process that is the DRA driver `gpu.nvidia.com`.
@WithGpuNode
class DraMoveOnNodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String BLOCKED = "another DRA driver gpu.nvidia.com serves this node";

  private final GpuNode node;
  private final AgentOnNode agent;
  private final ClaimsOnNode claims;

  DraMoveOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    claims = new ClaimsOnNode(node, "gpu.nvidia.com");
  }

  @BeforeEach
  void serveClaims() {
    claims.deviceClass("gpu.nvidia.com", "gpu", "");
    agent.serveClaims();
    agent.label(ClaimsOnNode.SELECTED, "true");
    agent.begin("dra-agent");
    await().atMost(LIMIT).until(() -> claims.devices().size() == GpuNode.GPUS);
  }

  @AfterEach
  void close() {
    claims.deleteAll();
    agent.label(ClaimsOnNode.SELECTED, "false");
    await().atMost(LIMIT).until(() -> claims.devices().isEmpty());
    agent.close();
  }

  @Test
  void agentYieldsToAnotherDriver_andTakesOverOnceThatIsGone() {
    claim("first");
    claim("second");
    try (var first = claims.run("first");
        var second = startBesideOther()) {
      long gone = System.nanoTime();
      await().atMost(LIMIT).pollInterval(Duration.ofMillis(50)).until(second::isRunning);
      System.out.printf(
          "other driver gone -> pod runs after %d ms%n", (System.nanoTime() - gone) / 1_000_000);
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(agent.document()).doesNotContain(BLOCKED));
      assertThat(first.isRunning()).isTrue();
    }
  }

  /// A pod of the claim `second`, which the other driver has refused. The agent is killed
  /// meanwhile.
  private ProbePod startBesideOther() {
    try (var _ = OtherDraDriver.start(node)) {
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () -> assertThat(agent.document()).as(agent.lastOutput()).contains(BLOCKED));
      List<String> before = versionsOfSlices();
      ProbePod second = claims.create("second");
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(claims.events(second))
                  .as("the kubelet calls the other driver, which has the lock to itself")
                  .anyMatch(text -> text.contains(OtherDraDriver.REFUSAL)));
      agent.kill();
      var next = agent.begin("dra-agent-2");
      await().atMost(LIMIT).until(() -> next.logTail().contains(BLOCKED));
      assertThat(versionsOfSlices()).as("of the other driver").isEqualTo(before);
      return second;
    }
  }

  private List<String> versionsOfSlices() {
    return claims.slices().stream()
        .map(ResourceSlice::getMetadata)
        .map(it -> it.getName() + " " + it.getResourceVersion())
        .sorted()
        .toList();
  }

  private void claim(String name) {
    claims.claim(name, "gpu.nvidia.com", "", "");
  }
}
