package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.operator.OperatorAddresses;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// ComputeDomains through their life, with the rights of the chart, by a real API server that
/// schedules the daemons by their claims. What agents and daemons do is played.
class ComputeDomainTest extends SharedSceneTest {
  // Test budget 120 s: daemons are scheduled by claims, and an operator starts again.
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();
  private final OperatorAddresses addresses = OperatorAddresses.free();

  @Override
  void enter() throws IOException, InterruptedException {
    fabric().create();
    scene.start(Launch.PLAIN, addresses);
    fleet.createWithoutAgent();
    fleet.edit(DomainFabric.ORDER);
    await("the account of the daemons")
        .atMost(LIMIT)
        .until(() ->
            client
                    .serviceAccounts()
                    .inNamespace(Scene.NAMESPACE)
                    .withName("compute-domain-daemon-service-account")
                    .get()
                != null);
    undo(); // what a test that failed has left
  }

  @Override
  void undo() {
    List.of("dom", "other").forEach(name -> fabric().domain(name).delete());
    fabric().template(DomainFabric.TEAM, "taken").delete();
    client.events().v1().events().inNamespace(DomainFabric.TEAM).delete();
    List.of("dom", "other")
        .forEach(name -> await().atMost(LIMIT).until(() -> fabric().domain(name).get() == null));
  }

  @Override
  public void leave() {
    try (var _ = scene) {
      fleet.delete();
      fabric().delete();
    }
  }

  @Test
  void objectsAreThoseOfTheRecording() throws IOException {
    var uid = fabric().createDomain("dom", 2, "dom-channel");
    await().atMost(LIMIT).until(() -> fabric().status("dom").has("status"));

    assertThat(fabric().status("dom").path("status").asText()).isEqualTo("NotReady");
    assertThat(fabric().domain("dom").require().getMetadata().getFinalizers())
        .containsExactly(DomainFabric.LABEL);
    assertThat(recorded("claim templates in the driver namespace", uid))
        .isEqualTo(
            facts(fabric().template(Scene.NAMESPACE, "computedomain-daemon-" + uid).require()));
    assertThat(recorded("claim templates in the namespace of the domain", uid))
        .isEqualTo(facts(fabric().template(DomainFabric.TEAM, "dom-channel").require()));
    var daemons =
        client
            .apps()
            .daemonSets()
            .inNamespace(Scene.NAMESPACE)
            .withName("computedomain-daemon-" + uid)
            .require();
    assertThat(daemons.getMetadata().getFinalizers()).containsExactly(DomainFabric.LABEL);
    assertThat(daemons.getStatus().getDesiredNumberScheduled()).isZero();
  }

  @Test
  void aDomainIsReadyWhileItsDaemonsAre() {
    var uid = fabric().createDomain("dom", 2, "dom-channel");
    DomainFabric.NODES.forEach(node -> fabric().label(node, uid));
    fabric().report("nvl-1", uid, "Ready");
    awaitNodes(Map.of("nvl-1", "Ready"), "NotReady");
    fabric().report("nvl-2", uid, "NotReady");
    awaitNodes(Map.of("nvl-1", "Ready", "nvl-2", "NotReady"), "NotReady");
    fabric().report("nvl-2", uid, "Ready");
    awaitNodes(Map.of("nvl-1", "Ready", "nvl-2", "Ready"), "Ready");

    // The agent takes its label away, and the daemon is killed before it has removed its entry.
    fabric().label("nvl-2", "none");
    awaitNodes(Map.of("nvl-1", "Ready"), "NotReady");
    assertThat(fabric().entries(uid))
        .extracting(entry -> entry.path("nodeName").asText())
        .containsExactly("nvl-1");

    fabric().label("nvl-2", uid);
    fabric().report("nvl-2", uid, "Ready");
    awaitNodes(Map.of("nvl-1", "Ready", "nvl-2", "Ready"), "Ready");
  }

  @Test
  void whatADomainBroughtGoesWithIt() {
    var uid = fabric().createDomain("dom", 2, "dom-channel");
    var other = fabric().createDomain("other", 0, "other-channel");
    await()
        .atMost(LIMIT)
        .until(() -> fabric().status("other").path("status").asText().equals("Ready"));
    fabric().label("nvl-1", uid);
    fabric().label("nvl-2", other);
    fabric().report("nvl-1", uid, "Ready");
    awaitNodes(Map.of("nvl-1", "Ready"), "NotReady");

    fabric().domain("dom").delete();
    await().atMost(LIMIT).untilAsserted(() -> assertThat(fabric().remains(uid)).isEmpty());
    assertThat(fabric().labelOf("nvl-2")).isEqualTo(other);
    assertThat(fabric().template(DomainFabric.TEAM, "other-channel").get()).isNotNull();
    fabric().label("nvl-1", uid);
    await("a label that comes after the domain goes, too")
        .atMost(LIMIT)
        .until(() -> fabric().labelOf("nvl-1").isEmpty());
  }

  /// As NVIDIA's controller counts them. An operator that is not the controller has no series.
  @Test
  void domainsAreCountedByStatus() {
    awaitCounts("Ready 0.0", "NotReady 0.0");
    fabric().createDomain("dom", 2, "dom-channel");
    fabric().createDomain("other", 0, "other-channel");
    awaitCounts("Ready 1.0", "NotReady 1.0");
    fabric().domain("other").delete();
    awaitCounts("Ready 0.0", "NotReady 1.0");
    fabric().domain("dom").delete();
    awaitCounts("Ready 0.0", "NotReady 0.0");

    fleet.edit("{\"dra\": {\"computeDomains\": {\"controller\": false}}}");
    awaitCounts();
  }

  /// @param counts of the metric, as `STATUS COUNT`
  private void awaitCounts(String... counts) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(metrics().lines())
                .filteredOn(line -> line.startsWith("nvidia_dra_"))
                .extracting(line ->
                    line.replaceAll("nvidia_dra_compute_domain_info\\{status=\"(\\w+)\"}", "$1"))
                .containsExactlyInAnyOrder(counts));
  }

  private String metrics() throws IOException {
    try (var page = addresses.metrics().toURL().openStream()) {
      return new String(page.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aTemplateOfAnotherProgramIsNamedAndLeftAsItIs() {
    var theirs =
        client
            .resource(
                Serialization.unmarshal(
                    """
                    apiVersion: resource.k8s.io/v1
                    kind: ResourceClaimTemplate
                    metadata: {name: taken, namespace: default, labels: {a: b}}
                    spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
                    """,
                    GenericKubernetesResource.class))
            .create();
    var uid = fabric().createDomain("dom", 0, "taken");

    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(fabric().events("dom"))
                .anySatisfy(event -> {
                  assertThat(event.getReason()).isEqualTo("TemplateNameTaken");
                  assertThat(event.getNote())
                      .contains(
                          "spec.channel.resourceClaimTemplate.name is \"taken\"", "delete it");
                }));
    assertThat(
            fabric()
                .template(DomainFabric.TEAM, "taken")
                .require()
                .getMetadata()
                .getResourceVersion())
        .isEqualTo(theirs.getMetadata().getResourceVersion());
    fabric().domain("dom").delete();
    await().atMost(LIMIT).untilAsserted(() -> assertThat(fabric().remains(uid)).isEmpty());
    assertThat(fabric().template(DomainFabric.TEAM, "taken").get()).isNotNull();
  }

  @Test
  void anOperatorThatStartsAgainWritesNothing() throws IOException, InterruptedException {
    var uid = fabric().createDomain("dom", 1, "dom-channel");
    fabric().label("nvl-1", uid);
    fabric().report("nvl-1", uid, "Ready");
    awaitNodes(Map.of("nvl-1", "Ready"), "Ready");
    var before = versions(uid);

    scene.stopOperators();
    scene.start(Launch.PLAIN, addresses);
    scene.settle();
    assertThat(versions(uid)).isEqualTo(before);
  }

  private DomainFabric fabric() {
    return new DomainFabric(client);
  }

  private List<String> versions(String uid) {
    return List.of(
        fabric().domain("dom").require().getMetadata().getResourceVersion(),
        fabric().clique(uid).require().getMetadata().getResourceVersion(),
        fabric()
            .template(DomainFabric.TEAM, "dom-channel")
            .require()
            .getMetadata()
            .getResourceVersion());
  }

  private void awaitNodes(Map<String, String> nodes, String status) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          var live = fabric().status("dom");
          assertThat(
                  live.path("nodes")
                      .valueStream()
                      .map(node -> node.path("name").asText() + "=" + node.path("status").asText()))
              .as(live.toString())
              .containsExactlyElementsOf(
                  nodes.entrySet().stream()
                      .map(it -> it.getKey() + "=" + it.getValue())
                      .sorted()
                      .toList());
          assertThat(live.path("status").asText()).isEqualTo(status);
        });
  }

  /// Without what the API server fills in.
  private static JsonNode facts(HasMetadata object) {
    ObjectNode tree = JSON.valueToTree(object);
    tree.remove(List.of("apiVersion", "kind"));
    if (tree.path("spec") instanceof ObjectNode spec && spec.path("metadata").isEmpty()) {
      spec.remove("metadata");
    }
    ((ObjectNode) tree.path("metadata")).retain(List.of("labels", "finalizers"));
    return tree;
  }

  /// The names of the recording are those of its cluster.
  private static JsonNode recorded(String step, String uid) throws IOException {
    try (InputStream file =
        Objects.requireNonNull(
            ComputeDomainTest.class.getResourceAsStream("/dra/cdc-objects.json"))) {
      var text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      ObjectNode object =
          JSON.readTree(text.replace("<uid:dom>", uid))
              .path("steps")
              .valueStream()
              .filter(it -> it.path("do").asText().equals(step))
              .map(it -> (ObjectNode) it.path("got").get(0))
              .findFirst()
              .orElseThrow();
      ((ObjectNode) object.path("metadata")).retain(List.of("labels", "finalizers"));
      return object;
    }
  }
}
