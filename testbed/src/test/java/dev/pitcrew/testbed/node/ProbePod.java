package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.image.StaticProgram;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// A pod of our probe program on one node.
record ProbePod(KubernetesClient client, String name) {
  static ProbePod on(RealNode node, KubernetesClient client, String... arguments) {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("default")
            .withGenerateName("probe-")
            .endMetadata()
            .withNewSpec()
            .withNodeName(node.name())
            .withTerminationGracePeriodSeconds(1L)
            .addNewContainer()
            .withName("probe")
            .withImage(StaticProgram.PROBE.imageName())
            .withImagePullPolicy("Never")
            .withArgs(arguments)
            .addNewEnv()
            .withName("GREETING")
            .withValue("hello")
            .endEnv()
            .endContainer()
            .endSpec()
            .build();
    var created = client.resource(pod).create();
    return new ProbePod(client, created.getMetadata().getName()).await(ProbePod::isRunning);
  }

  /// Returns when the pod is as wanted.
  ProbePod await(Predicate<Pod> condition) {
    resource().waitUntilCondition(pod -> pod != null && condition.test(pod), 60, TimeUnit.SECONDS);
    return this;
  }

  ContainerStatus container() {
    return containerOf(resource().require());
  }

  String address() {
    return resource().require().getStatus().getPodIP();
  }

  /// What the program said, which ends with `done`.
  List<String> words() throws IOException {
    var words = new ArrayList<String>();
    try (var log = resource().watchLog();
        var reader =
            new BufferedReader(
                new InputStreamReader(
                    Objects.requireNonNull(log.getOutput()), StandardCharsets.UTF_8))) {
      for (var line = reader.readLine(); line != null; line = reader.readLine()) {
        words.add(line);
        if (line.equals("done")) {
          break;
        }
      }
    }
    return words;
  }

  static boolean isRunning(Pod pod) {
    return "Running".equals(pod.getStatus().getPhase()) && containerOf(pod).getReady();
  }

  static ContainerStatus containerOf(Pod pod) {
    return pod.getStatus().getContainerStatuses().getFirst();
  }

  private PodResource resource() {
    return client.pods().inNamespace("default").withName(name);
  }
}
