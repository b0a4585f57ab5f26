package dev.pitcrew.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/// A pod that asks for GPUs and tells what its container sees.
record GpuPod(KubernetesClient client, String name) implements AutoCloseable {
  private static final String NAMESPACE = "default";
  private static final Pattern DEVICE = Pattern.compile("device (?<path>/dev/nvidia\\d+) c .*");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// Returns when the container has told everything.
  static GpuPod run(KubernetesClient client, String node, int gpus) {
    var created = client.resource(pod(node, gpus)).create();
    var pod = new GpuPod(client, created.getMetadata().getName());
    Awaitility.await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(pod.words()).as(pod::status).contains("done"));
    return pod;
  }

  private static Pod pod(String node, int gpus) {
    return new PodBuilder()
        .withNewMetadata()
        .withGenerateName("gpus-")
        .withNamespace(NAMESPACE)
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .withAutomountServiceAccountToken(false)
        .withTerminationGracePeriodSeconds(1L)
        .addNewContainer()
        .withName("probe")
        .withImage("testbed.local/probe:1")
        .withImagePullPolicy("Never")
        .withNewResources()
        .addToLimits("nvidia.com/gpu", new Quantity(Integer.toString(gpus)))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  List<String> words() {
    return isRunning() ? resource().getLog().lines().toList() : List.of();
  }

  private String status() {
    return String.valueOf(resource().require().getStatus());
  }

  /// The device files of GPUs that the container has, such as `/dev/nvidia0`.
  List<String> gpus() {
    return words().stream()
        .map(DEVICE::matcher)
        .filter(Matcher::matches)
        .map(found -> found.group("path"))
        .toList();
  }

  boolean isRunning() {
    return isRunning(resource().require());
  }

  private static boolean isRunning(Pod pod) {
    return "Running".equals(pod.getStatus().getPhase());
  }

  private PodResource resource() {
    return client.pods().inNamespace(NAMESPACE).withName(name);
  }

  @Override
  public void close() {
    resource().withGracePeriod(0).delete();
    resource().waitUntilCondition(pod -> pod == null, LIMIT.toSeconds(), TimeUnit.SECONDS);
  }
}
