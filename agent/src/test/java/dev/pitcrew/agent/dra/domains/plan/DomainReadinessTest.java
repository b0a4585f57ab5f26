package dev.pitcrew.agent.dra.domains.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.agent.dra.domains.plan.DomainReadiness.Seen;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What claims for channels wait for.
class DomainReadinessTest {
  private static final Domain DOMAIN = new Domain("u1", "team", "dom");
  private static final DomainNode NODE =
      new DomainNode("node-a", Optional.of("c.0"), 235, Optional.empty());

  private static JsonNode node(String label) {
    return Facts.parse(
        label.isEmpty()
            ? "{\"metadata\":{}}"
            : "{\"metadata\":{\"labels\":{\"resource.nvidia.com/computeDomain\":\"%s\"}}}"
                .formatted(label));
  }

  private static JsonNode domain(String node, String status) {
    return Facts.parse(
        "{\"metadata\":{\"uid\":\"u1\"},\"status\":{\"nodes\":[{\"name\":\"%s\",\"status\":\"%s\"}]}}"
            .formatted(node, status));
  }

  private static JsonNode clique(String node, String status) {
    return Facts.parse(
        "{\"daemons\":[{\"nodeName\":\"%s\",\"status\":\"%s\"}]}".formatted(node, status));
  }

  private static DomainReadiness of(JsonNode node, JsonNode domain, JsonNode clique) {
    return DomainReadiness.of(
        new Seen(Optional.of(node), Optional.of(domain), Optional.of(clique)), DOMAIN, NODE);
  }

  private static String reason(DomainReadiness readiness) {
    return switch (readiness) {
      case DomainReadiness.Waiting(var reason) -> reason;
      case DomainReadiness.Gone(var reason) -> reason;
      case DomainReadiness.Ready(), DomainReadiness.Unlabelled() -> "";
    };
  }

  @ParameterizedTest
  @CsvSource({
    "node-a, Ready, node-b, Ready",
    "node-b, Ready, node-a, Ready",
    "node-a, Ready, node-a, NotReady",
  })
  void cliqueOrStatusSaysThatTheNodeIsReady(
      String inStatus, String status, String inClique, String daemon) {
    assertThat(of(node("u1"), domain(inStatus, status), clique(inClique, daemon)))
        .isEqualTo(new DomainReadiness.Ready());
  }

  @Test
  void daemonThatIsNotReadyIsNamed() {
    assertThat(reason(of(node("u1"), domain("node-b", "Ready"), clique("node-a", "NotReady"))))
        .contains("team/dom", "node-a is NotReady", "computedomain-daemon-u1");
    assertThat(reason(of(node("u1"), domain("x", "Ready"), MissingNode.getInstance())))
        .contains("node node-a is not in clique c.0", "computedomain-daemon-u1");
  }

  @Test
  void freeNodeIsLabelledAndThatOfAnotherDomainIsNot() {
    JsonNode ready = clique("node-a", "Ready");
    assertThat(of(node(""), domain("x", "Ready"), ready))
        .isEqualTo(new DomainReadiness.Unlabelled());
    assertThat(reason(of(node("u2"), domain("x", "Ready"), ready)))
        .contains("u2", "resource.nvidia.com/computeDomain", "remove the label");
  }

  @Test
  void domainThatIsGoneEndsTheWait() {
    assertThat(of(node("u1"), MissingNode.getInstance(), clique("node-a", "Ready")))
        .isEqualTo(new DomainReadiness.Gone("ComputeDomain team/dom was deleted"));
    JsonNode successor = Facts.parse("{\"metadata\":{\"uid\":\"u9\"}}");
    assertThat(of(node("u1"), successor, clique("node-a", "Ready")))
        .isInstanceOf(DomainReadiness.Gone.class);
    JsonNode leaving =
        Facts.parse(
            "{\"metadata\":{\"uid\":\"u1\",\"deletionTimestamp\":\"2026-11-28T12:00:00Z\"}}");
    assertThat(reason(of(node("u1"), leaving, clique("node-a", "Ready"))))
        .contains("being deleted");
  }

  @Test
  void nothingIsConcludedBeforeTheServerHasAnswered() {
    assertThat(reason(DomainReadiness.of(Seen.NOTHING, DOMAIN, NODE))).contains("API server");
  }
}
