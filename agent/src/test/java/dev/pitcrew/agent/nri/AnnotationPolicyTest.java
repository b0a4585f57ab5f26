package dev.pitcrew.agent.nri;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The admission policy of docs/runtime-class.md, at a real API server.
@WithControlPlane
class AnnotationPolicyTest {
  private static final Path PAGE = Path.of("..", "docs", "runtime-class.md");
  private static final String REFUSED = "CDI devices are not named by annotation in this namespace";
  private static final Map<String, String> OPEN = Map.of("example.com/names-cdi-devices", "true");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final KubernetesClient client;

  AnnotationPolicyTest(KubernetesClient client) {
    this.client = client;
  }

  @Test
  void podsThatNameCdiDevicesByAnnotationAreRefusedOutsideOfLabelledNamespaces()
      throws IOException {
    namespace("tenant", Map.of());
    namespace("operands", OPEN);
    client.resource(pod("tenant", "before", Map.of("nvidia.cdi.k8s.io", "a.b/c=1"))).create();
    String page = Files.readString(PAGE);
    int start = page.indexOf("```yaml\n") + "```yaml\n".length();
    String policy = page.substring(start, page.indexOf("```", start));
    client
        .load(new ByteArrayInputStream(policy.getBytes(StandardCharsets.UTF_8)))
        .serverSideApply();

    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(refusal("tenant", Map.of("nvidia.cdi.k8s.io", "nvidia.com/gpu=0")))
                .contains(REFUSED));
    var pod = Map.of("nvidia.cdi.k8s.io/pod", "nvidia.com/gpu=all");
    assertThat(refusal("tenant", pod)).contains(REFUSED);
    var container = Map.of("nvidia.cdi.k8s.io/container.x", "nvidia.com/gpu=all");
    assertThat(refusal("tenant", container)).contains(REFUSED);
    assertThat(refusal("tenant", Map.of("cdi.k8s.io/x", "nvidia.com/gpu=0"))).contains(REFUSED);
    assertThat(refusal("tenant", Map.of("example.com/cdi.k8s.io", "1"))).isEmpty();
    assertThat(refusal("tenant", Map.of())).isEmpty();
    assertThat(refusal("operands", pod)).isEmpty();

    assertThat(edited("before", "other", "1")).as("what it had before stays").isEmpty();
    assertThat(edited("before", "nvidia.cdi.k8s.io", "a.b/c=2")).contains(REFUSED);
  }

  private void namespace(String name, Map<String, String> labels) {
    var metadata = new NamespaceBuilder().withNewMetadata().withName(name).withLabels(labels);
    client.resource(metadata.endMetadata().build()).serverSideApply();
    var account = new ServiceAccountBuilder().withNewMetadata().withName("default");
    client.resource(account.withNamespace(name).endMetadata().build()).serverSideApply();
  }

  private String refusal(String namespace, Map<String, String> annotations) {
    return said(() -> client.resource(pod(namespace, "new", annotations)).dryRun().create());
  }

  private String edited(String name, String key, String value) {
    var pods = client.pods().inNamespace("tenant").withName(name);
    return said(() ->
        pods.edit(pod ->
            new PodBuilder(pod).editMetadata().addToAnnotations(key, value).endMetadata().build()));
  }

  private static String said(Runnable write) {
    try {
      write.run();
      return "";
    } catch (KubernetesClientException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static Pod pod(String namespace, String name, Map<String, String> annotations) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("x")
        .withImage("example.com/x:1")
        .endContainer()
        .endSpec()
        .build();
  }
}
