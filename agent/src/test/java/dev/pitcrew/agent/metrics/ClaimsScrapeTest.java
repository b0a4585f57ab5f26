package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.kubelet.podresources.ClaimResource;
import dev.pitcrew.kubelet.podresources.ContainerResources;
import dev.pitcrew.kubelet.podresources.DynamicResource;
import dev.pitcrew.kubelet.podresources.PodResources;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Series of devices that pods have claimed.
class ClaimsScrapeTest {
  private static final Path RECORDED = Path.of("src/test/resources/metrics/claims.txt");
  private static final String METRIC = "DCGM_FI_DEV_FB_USED";

  @TempDir Path folder;

  /// Two pods share the claim of a whole GPU, and two have an instance each of another: which one,
  /// only the place in the device's name shows.
  @Test
  void eachPodOfAClaimHasSeriesThatNameTheClaim() throws IOException {
    SimulatedNode node = node();
    node.divide(
        "mode 1 1 1\ngi 1 7 0 0 1\nci 1 7 0 0 0 1\ngi 1 9 0 4 1\nci 1 9 0 0 0 1\ngi 1 8 0 6 1\nci 1 8 0 0 0 1\n");
    try (var _ =
            TestPodResources.start(
                node.hostRoot(),
                pod("train-a", "shared", "gpu.nvidia.com", "gpu-0"),
                pod("train-b", "shared", "gpu.nvidia.com", "gpu-0"),
                pod("infer", "slice", "gpu.nvidia.com", "gpu-1-mig-1g10gb-19-4"),
                pod("other", "other", "gpu.nvidia.com", "gpu-1-mig-1g10gb-19-0"),
                pod("wire", "channel", "compute-domain.nvidia.com", "gpu-0"));
        var sampled = new Sampled(node, Map.of("DCGM_EXPORTER_KUBERNETES", "true"))) {
      sampled.until(
          scrape -> assertThat(scrape.of(METRIC, Map.of("dra_claim_name", "slice"))).hasSize(1));

      assertThat(
              sampled
                  .text("")
                  .lines()
                  .filter(line -> line.startsWith(METRIC + "{"))
                  .collect(Collectors.joining("\n", "", "\n")))
          .isEqualTo(Files.readString(RECORDED));
    }
  }

  @Test
  void noPodIsNamed_whereClaimsAreNotFollowed() throws IOException {
    SimulatedNode node = node();
    try (var _ =
            TestPodResources.start(
                node.hostRoot(), pod("train-a", "shared", "gpu.nvidia.com", "gpu-0"));
        var sampled =
            new Sampled(
                node,
                Map.of("DCGM_EXPORTER_KUBERNETES", "true", "KUBERNETES_ENABLE_DRA", "false"))) {
      sampled.untilSampled();

      assertThat(sampled.scrape().of(METRIC, Map.of("pod", "train-a"))).isEmpty();
    }
  }

  private SimulatedNode node() {
    return SimulatedNode.create(folder, SimulatedNodeOptions.of("h100").withGpus(2));
  }

  private static PodResources pod(String name, String claim, String driver, String device) {
    return PodResources.newBuilder()
        .setName(name)
        .setNamespace("team")
        .addContainers(
            ContainerResources.newBuilder()
                .setName("main")
                .addDynamicResources(
                    DynamicResource.newBuilder()
                        .setClaimName(claim)
                        .setClaimNamespace("team")
                        .addClaimResources(
                            ClaimResource.newBuilder()
                                .setDriverName(driver)
                                .setPoolName("node-1")
                                .setDeviceName(device))))
        .build();
  }
}
