package dev.pitcrew.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import dev.pitcrew.agent.cluster.Reply.Done;
import dev.pitcrew.agent.cluster.Reply.Refused;
import dev.pitcrew.agent.cluster.Reply.Unanswered;
import dev.pitcrew.testbed.controlplane.CertificateAuthority;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.trouble.Link;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithControlPlane
class ApiServerTest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final ObjectPath NODE = ObjectPath.of("v1", "nodes", "n1");

  @TempDir private Path folder;
  private String namespace;
  private TestAccount account;
  private Link link;
  private ApiServer server;

  @BeforeEach
  void connect(ControlPlane plane, TestNamespace testNamespace) {
    namespace = testNamespace.name();
    account = TestAccount.create(plane, namespace, folder);
    link = Link.to(plane.apiServerAddress());
    server = ApiServer.of(account.at(link.address()));
    plane
        .client()
        .resource(new NodeBuilder().withNewMetadata().withName("n1").endMetadata().build())
        .create();
  }

  @AfterEach
  void disconnect() {
    server.close();
    link.close();
  }

  @Test
  void theTokenOfAServiceAccountOpensTheDoor() {
    assertThat(done(server.get(NODE, DEADLINE)).at("/metadata/name").asText()).isEqualTo("n1");
  }

  @Test
  void secondApply_changesNothing() throws IOException {
    // No controller of the cluster writes to a ConfigMap, as some do to a Node.
    var path = ObjectPath.of("v1", "configmaps", namespace, "c1");
    var object =
        JSON.readTree(
            """
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c1"},
             "data": {"a": "1"}}
            """);
    var first = done(server.apply(path, object, DEADLINE));
    var second = done(server.apply(path, object, DEADLINE));
    assertThat(first.at("/data/a").asText()).isEqualTo("1");
    assertThat(version(second)).isEqualTo(version(first));
    assertThat(second.at("/metadata/managedFields").findValuesAsText("manager"))
        .contains("pitcrew-agent");
  }

  @Test
  void labelThatIsNoLongerApplied_isRemoved() throws IOException {
    server.apply(NODE, node(Map.of("example.com/a", "1", "example.com/b", "1")), DEADLINE);
    var after = done(server.apply(NODE, node(Map.of("example.com/b", "1")), DEADLINE));
    assertThat(after.at("/metadata/labels").has("example.com/a")).isFalse();
    assertThat(after.at("/metadata/labels").has("example.com/b")).isTrue();
  }

  @Test
  void theStatusIsAppliedByItsSubresource() throws IOException {
    var status =
        JSON.readTree(
            """
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
             "status": {"conditions": [{"type": "GpuReady", "status": "True"}]}}
            """);
    server.apply(NODE.status(), status, DEADLINE);
    assertThat(done(server.get(NODE, DEADLINE)).at("/status/conditions").toString())
        .contains("GpuReady");
  }

  @Test
  void aPatchWhoseTestFailsIsRefused() throws IOException {
    var patch =
        JSON.readTree("[{\"op\": \"test\", \"path\": \"/metadata/name\", \"value\": \"x\"}]");
    assertThat(server.patch(NODE, patch, DEADLINE))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.status()).isEqualTo(422);
              assertThat(refused.reason()).isEqualTo("Invalid");
            });
  }

  @Test
  void refusalsSayWhyInTheWordsOfKubernetes() throws IOException {
    assertThat(server.get(ObjectPath.of("v1", "nodes", "no"), DEADLINE))
        .isEqualTo(
            new Refused(404, "NotFound", "nodes/no", "nodes \"no\" not found", Duration.ZERO));
    assertThat(server.create(NODE, node(Map.of()), DEADLINE))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.status()).isEqualTo(409);
              assertThat(refused.reason()).isEqualTo("AlreadyExists");
            });
    assertThat(server.get(ObjectPath.of("v1", "secrets", namespace, "s"), DEADLINE))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.status()).isEqualTo(403);
              assertThat(refused.reason()).isEqualTo("Forbidden");
            });
  }

  @Test
  void aFreshTokenIsUsedFromTheNextCallOn() {
    account.writeToken("expired");
    assertThat(server.get(NODE, DEADLINE))
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.status()).isEqualTo(401));
    account.writeToken(account.newToken());
    done(server.get(NODE, DEADLINE));
  }

  @Test
  void aConnectionThatIsDeadIsNotUsedForASecondCall() {
    done(server.get(NODE, DEADLINE));
    link.freeze();
    assertThat(server.get(NODE, SHORT)).isInstanceOf(Unanswered.class);
    done(server.get(NODE, DEADLINE));
    assertThat(link.opened()).isEqualTo(2);
  }

  @Test
  void aCallAfterAConnectionWasCutIsAnswered() {
    done(server.get(NODE, DEADLINE));
    link.breakDown();
    assertThat(server.get(NODE, DEADLINE)).isInstanceOf(Unanswered.class);
    link.restore();
    done(server.get(NODE, DEADLINE));
  }

  @Test
  void replacedAuthority_isReadAgain() throws IOException {
    var right = Files.readString(folder.resolve("ca.crt"));
    Files.writeString(
        folder.resolve("ca.crt"), CertificateAuthority.create("other").certificatePem());
    assertThat(server.get(NODE, DEADLINE)).isInstanceOf(Unanswered.class);
    Files.writeString(folder.resolve("ca.crt"), right);
    done(server.get(NODE, DEADLINE));
  }

  @Test
  void filesThatAreNotThereOrNotWhatTheyShouldBeAreNamed() throws IOException {
    Files.writeString(folder.resolve("token"), "two\nlines");
    assertThat(server.get(NODE, DEADLINE))
        .isInstanceOfSatisfying(
            Unanswered.class,
            reply -> assertThat(reply.reason()).contains("token").doesNotContain("lines"));
    Files.delete(folder.resolve("token"));
    assertThat(server.get(NODE, DEADLINE))
        .isInstanceOfSatisfying(
            Unanswered.class, reply -> assertThat(reply.reason()).contains("token"));
  }

  @Test
  void aServerThatIsNotThereIsNoException() {
    try (var unreachable = ApiServer.of(account.at(URI.create("https://127.0.0.1:1")))) {
      assertThat(unreachable.get(NODE, DEADLINE)).isInstanceOf(Unanswered.class);
    }
  }

  @Test
  void closingEndsAllThreads(@TempDir Path dumps) throws Exception {
    try (var _ = Events.start(server, "test", InstantSource.system());
        var _ = ObjectWatch.start(server, NODE, _ -> {})) {
      done(server.get(NODE, DEADLINE));
      assertThat(threads(dumps)).contains("watch /api/v1/nodes/n1", "HttpClient");
    }
    server.close();
    await()
        .atMost(DEADLINE)
        .untilAsserted(() ->
            assertThat(threads(dumps))
                .doesNotContain("watch /api/v1/nodes/n1", "\"events\"", "api-server"));
    assertThat(server.get(NODE, DEADLINE)).isEqualTo(new Unanswered("IOException: closed"));
  }

  /// @param dumps takes a file for each look
  private static String threads(Path dumps) throws IOException {
    Path file = dumps.resolve(String.valueOf(System.nanoTime()));
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
    return Files.readString(file);
  }

  private static JsonNode node(Map<String, String> labels) {
    var node = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Node");
    var written = node.putObject("metadata").put("name", "n1").putObject("labels");
    labels.forEach(written::put);
    return node;
  }

  private static String version(JsonNode object) {
    return object.at("/metadata/resourceVersion").asText();
  }

  private static JsonNode done(Reply reply) {
    assertThat(reply).isInstanceOf(Done.class);
    return ((Done) reply).object();
  }
}
