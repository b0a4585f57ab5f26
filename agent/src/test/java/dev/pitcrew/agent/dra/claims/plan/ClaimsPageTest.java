package dev.pitcrew.agent.dra.claims.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.dra.claims.plan.SettingsDecoder.Decoded;
import dev.pitcrew.api.Crds;
import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The manifests and the expressions of the page about claims, as the API server takes them, and
/// the settings in them as the agent does.
@WithControlPlane
class ClaimsPageTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Path PAGE = Path.of("../docs/claims.md");
  private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
  private static final Pattern EXPRESSION = Pattern.compile("\\| `(device\\.[^`]*)` \\|");

  private final KubernetesClient client;
  private final String namespace;

  ClaimsPageTest(ControlPlane plane, TestNamespace namespace) {
    client = plane.client();
    this.namespace = namespace.name();
  }

  /// Pods are refused until then.
  @BeforeEach
  void awaitServiceAccount() {
    await()
        .atMost(LIMIT)
        .until(() ->
            client.serviceAccounts().inNamespace(namespace).withName("default").get() != null);
  }

  private static Stream<String> blocks() throws IOException {
    return BLOCK.matcher(Files.readString(PAGE)).results().map(block -> block.group(1));
  }

  private static Stream<String> manifests() throws IOException {
    return blocks()
        .filter(block -> block.contains("apiVersion: "))
        .flatMap(block -> Arrays.stream(block.split("---\n", -1)));
  }

  @Test
  void theApiServerTakesEachManifest() throws IOException {
    var definition = client.resource(Crds.yaml("resource.nvidia.com_computedomains.yaml"));
    definition.serverSideApply();
    definition.waitUntilCondition(
        it -> Definitions.isEstablished((CustomResourceDefinition) it),
        LIMIT.toSeconds(),
        TimeUnit.SECONDS);
    List<String> manifests = manifests().toList();
    assertThat(manifests).hasSizeGreaterThan(5);
    for (String manifest : manifests) {
      HasMetadata object = Serialization.unmarshal(manifest, HasMetadata.class);
      HasMetadata taken = client.resource(object).inNamespace(namespace).dryRun().create();
      System.out.printf("%s %s%n", taken.getKind(), taken.getMetadata().getName());
      assertThat(Serialization.asYaml(taken)).as("a field is unknown").contains(leaves(manifest));
    }
  }

  /// The values of the manifest: the API server drops unknown fields without an error.
  private static List<String> leaves(String manifest) {
    return leaves(Serialization.unmarshal(manifest, JsonNode.class)).distinct().toList();
  }

  private static Stream<String> leaves(JsonNode node) {
    return node.isContainerNode()
        ? node.valueStream().flatMap(ClaimsPageTest::leaves)
        : Stream.of(node.asText());
  }

  @Test
  void theApiServerCompilesEachExpression() throws IOException {
    List<String> expressions =
        EXPRESSION.matcher(Files.readString(PAGE)).results().map(row -> row.group(1)).toList();
    assertThat(expressions).hasSizeGreaterThan(4);
    for (String expression : expressions) {
      claim(expression);
      System.out.println(expression);
    }
    assertThatThrownBy(() -> claim(expressions.getFirst() + " &&"))
        .isInstanceOf(KubernetesClientException.class);
  }

  private void claim(String expression) {
    String claim =
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: by-expression}
        spec:
          devices:
            requests:
              - name: gpu
                exactly:
                  deviceClassName: gpu.nvidia.com
                  selectors: [{cel: {expression: "%s"}}]
        """
            .formatted(expression);
    HasMetadata object = Serialization.unmarshal(claim, HasMetadata.class);
    client.resource(object).inNamespace(namespace).dryRun().create();
  }

  @Test
  void theAgentTakesTheSettingsOfEachClaim() throws IOException {
    List<JsonNode> settings =
        manifests()
            .map(manifest -> Serialization.unmarshal(manifest, JsonNode.class))
            .flatMap(object -> object.findValues("parameters").stream())
            .toList();
    assertThat(settings).isNotEmpty();
    for (JsonNode each : settings) {
      assertThat(new SettingsDecoder(FeatureSwitches.DEFAULT).decode(each))
          .isInstanceOf(Decoded.Accepted.class);
    }
  }
}
