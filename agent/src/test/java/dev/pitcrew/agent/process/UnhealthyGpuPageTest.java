package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.api.Crds;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands of the page about unhealthy GPUs, as a user types them.
@WithControlPlane
class UnhealthyGpuPageTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Path PAGE = Path.of("../docs/unhealthy-gpu.md");
  private static final ResourceDefinitionContext POLICIES =
      new ResourceDefinitionContext.Builder()
          .withGroup("pitcrew.dev")
          .withVersion("v1alpha1")
          .withKind("FleetPolicy")
          .withPlural("fleetpolicies")
          .withNamespaced(false)
          .build();
  private static final String FLEET =
      "{\"apiVersion\": \"pitcrew.dev/v1alpha1\", \"kind\": \"FleetPolicy\","
          + " \"metadata\": {\"name\": \"fleet\"}, \"spec\": {}}";

  @Test
  void theCommandsForThePolicyDoWhatThePageSays(ControlPlane plane, @TempDir Path folder)
      throws IOException {
    KubernetesClient client = plane.client();
    load(client, Crds.yaml("pitcrew.dev_fleetpolicies.yaml"));
    await().atMost(LIMIT).ignoreExceptions().untilAsserted(() -> load(client, FLEET));

    List<String> commands =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("kubectl patch fleetpolicy "))
            .toList();
    for (String command : commands) {
      CommandRun run = run(command, plane, folder);
      System.out.printf("$ %s%n%s%n", command, run.output().strip());
      assertThat(run.succeeded()).as(run.output()).isTrue();
    }

    Map<String, Object> health =
        client
            .genericKubernetesResources(POLICIES)
            .withName("fleet")
            .require()
            .get("spec", "health");
    assertThat(health).containsEntry("taintFrom", "NeedsReset").containsEntry("resetGpus", true);
  }

  private static CommandRun run(String command, ControlPlane plane, Path folder) {
    Path kubectl = Binaries.standard(Progress.standardError()).resolve(Binary.KUBECTL);
    return CommandRun.of(
        List.of(
            "env",
            "KUBECONFIG=" + plane.kubeconfigFile(),
            "PATH=%s:/usr/bin:/bin".formatted(kubectl.getParent()),
            "sh",
            "-c",
            command),
        folder);
  }

  private static void load(KubernetesClient client, String text) {
    client.load(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))).serverSideApply();
  }
}
