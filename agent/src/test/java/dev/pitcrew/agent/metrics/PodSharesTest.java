package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.agent.plugin.TestPodResources.Held;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What each pod uses of a GPU that it shares with others.
class PodSharesTest {
  private static final String UTILIZATION = "pitcrew_gpu_pod_utilization_estimate_ratio";
  private static final String MEMORY = "pitcrew_gpu_pod_memory_used_bytes";
  private static final double MIB = 1 << 20;

  private static final String A = "0a0a0a0a-1111-2222-3333-444444444444";
  private static final String B = "0b0b0b0b-1111-2222-3333-444444444444";

  /// As drivers with systemd write it, and as those with cgroupfs do.
  private static final String CGROUP_OF_A =
      "0::/../../kubepods-burstable.slice/kubepods-burstable-pod%s.slice/cri-containerd-%s.scope\n"
          .formatted(A.replace('-', '_'), "a".repeat(64));

  private static final String CGROUP_OF_B =
      "12:devices:/kubepods/besteffort/pod%s/%s\n1:name=systemd:/kubepods/besteffort/pod%1$s/%2$s\n"
          .formatted(B, "b".repeat(64));

  @TempDir Path folder;

  @Test
  void eachPodHasWhatItsProcessesUse() throws IOException {
    SimulatedNode node = node("h100");
    runs(node, 100, CGROUP_OF_A, 500);
    runs(node, 101, CGROUP_OF_A, 500);
    runs(node, 200, CGROUP_OF_B, 500);
    runs(node, 300, "0::/system.slice/sshd.service\n", 500);
    node.simulate("process", "0", "100", "2000");
    node.simulate("process", "0", "101", "500", "--graphics");
    node.simulate("process", "0", "200", "1000");
    node.faults()
        .file(
            "/proc/200/mountinfo",
            "9 8 8:1 /pods/%s/containers/side-car/0a1b2c3d /dev/termination-log rw - ext4 /dev/sda1 rw\n"
                .formatted(B));
    node.simulate("process", "0", "300", "700");
    node.simulate("process", "0", "301", "700");
    use(node, 100, 30);
    use(node, 101, 10);
    use(node, 300, 25);
    use(node, 301, 25);
    try (var _ = share(node);
        var sampled = sampled(node)) {
      sampled.until(scrape -> {
        assertThat(value(scrape, UTILIZATION, "a")).contains(0.4);
        assertThat(value(scrape, UTILIZATION, "b")).contains(0.0);
        assertThat(value(scrape, MEMORY, "a")).contains(2500 * MIB);
        assertThat(value(scrape, MEMORY, "b")).contains(1000 * MIB);
        assertThat(scrape.of(MEMORY, Map.of())).hasSize(2);
        assertThat(scrape.of(UTILIZATION, Map.of())).hasSize(2);
      });
      assertThat(sampled.scrape().of(MEMORY, Map.of("pod", "a")).getFirst().labels())
          .containsEntry("gpu", "0")
          .containsEntry("UUID", node.gpus().getFirst().uuid())
          .containsEntry("namespace", "team")
          .containsEntry("container", "main");

      // The kernel names the container; where it does not, it is the one that holds the share.
      assertThat(sampled.scrape().of(MEMORY, Map.of("pod", "b", "container", "side-car")))
          .hasSize(1);

      node.simulate("process", "0", "200", "0");
      sampled.until(scrape -> {
        assertThat(value(scrape, MEMORY, "b")).isEmpty();
        assertThat(value(scrape, UTILIZATION, "b")).isEmpty();
        assertThat(value(scrape, MEMORY, "a")).isPresent();
      });
    }
  }

  @Test
  void aRecycledProcessIdIsNotTakenForItsFormerProcess() throws IOException {
    SimulatedNode node = node("h100");
    runs(node, 200, CGROUP_OF_B, 500);
    node.simulate("process", "0", "200", "1000");
    use(node, 200, 50);
    try (var _ = share(node);
        var sampled = sampled(node)) {
      sampled.until(scrape -> assertThat(value(scrape, UTILIZATION, "b")).contains(0.5));

      // It has started since the time that the driver's samples are of, after NVML was asked.
      runs(node, 200, CGROUP_OF_A, 2000);
      sampled.until(scrape -> assertThat(scrape.of(MEMORY, Map.of())).isEmpty());
      assertThat(sampled.scrape().of(UTILIZATION, Map.of())).isEmpty();

      // NVML lists it since, but the samples may yet be of the other.
      runs(node, 200, CGROUP_OF_A, 999);
      sampled.until(scrape -> assertThat(value(scrape, MEMORY, "a")).contains(1000 * MIB));
      assertThat(sampled.scrape().of(UTILIZATION, Map.of())).isEmpty();

      node.faults().file("/proc/uptime", "1100.00 0.00\n");
      sampled.until(scrape -> assertThat(value(scrape, UTILIZATION, "a")).contains(0.5));
      assertThat(sampled.scrape().of(MEMORY, Map.of("pod", "b"))).isEmpty();
    }
  }

  @Test
  void valueThatNvmlDoesNotReport_isLeftOut() throws IOException {
    SimulatedNode node = node("h100");
    runs(node, 100, CGROUP_OF_A, 500);
    runs(node, 200, CGROUP_OF_B, 500);
    runs(node, 300, "0::/system.slice/mps.service\n", 500);
    node.simulate("process", "0", "100", "unknown");
    node.simulate("process", "0", "200", "1000", "--mps");
    node.simulate("process", "0", "300", "66");
    use(node, 100, 30);
    use(node, 300, 95);
    try (var _ = share(node);
        var sampled = sampled(node)) {
      sampled.until(scrape -> {
        assertThat(value(scrape, UTILIZATION, "a")).contains(0.3);
        assertThat(value(scrape, MEMORY, "b")).contains(1000 * MIB);
      });
      assertThat(value(sampled.scrape(), MEMORY, "a")).isEmpty();
      // R580 counts what a client of MPS does as the server's, and has no sample of the client.
      assertThat(value(sampled.scrape(), UTILIZATION, "b")).isEmpty();

      node.simulate("fail", "nvmlDeviceGetProcessUtilization", "3", "1000000");
      sampled.until(scrape -> assertThat(scrape.of(UTILIZATION, Map.of())).isEmpty());
      assertThat(value(sampled.scrape(), MEMORY, "b")).isPresent();
    }
  }

  @Test
  void moreProcessesThanWereExpectedAreAllCounted() throws IOException {
    SimulatedNode node = node("h100");
    for (int process = 100; process < 130; process++) {
      runs(node, process, CGROUP_OF_A, 500);
      node.simulate("process", "0", String.valueOf(process), "10");
      use(node, process, 3);
    }
    try (var _ = share(node);
        var sampled = sampled(node)) {
      sampled.until(scrape -> {
        assertThat(value(scrape, MEMORY, "a")).contains(300 * MIB);
        assertThat(value(scrape, UTILIZATION, "a")).contains(0.9);
      });
    }
  }

  @Test
  void podsThatShareAMigDeviceHaveTheirMemoryOnly() throws IOException {
    SimulatedNode node = node("h100");
    node.divide("mode 0 1 1\ngi 0 1 2 0 4\nci 0 1 0 2 0 3\n");
    String device = node.migDevices().getFirst().uuid();
    runs(node, 100, CGROUP_OF_A, 500);
    runs(node, 300, CGROUP_OF_A, 500);
    node.simulate("process", "0", "100", "2000", "1", "0");
    try (var _ = TestPodResources.start(node.hostRoot(), new Held("team", "a", A, device + "::0"));
        var sampled = sampled(node)) {
      sampled.until(scrape ->
          assertThat(scrape.of(MEMORY, Map.of("pod", "a", "GPU_I_ID", "1")))
              .singleElement()
              .extracting(Scrape.Sample::value)
              .isEqualTo(2000 * MIB));
      assertThat(sampled.scrape().of(UTILIZATION, Map.of())).isEmpty();
    }
  }

  @Test
  void aGpuThatIsNotSharedHasNoShares() throws IOException {
    SimulatedNode node = node("h100");
    runs(node, 100, CGROUP_OF_A, 500);
    node.simulate("process", "0", "100", "2000");
    String gpu = node.gpus().getFirst().uuid();
    try (var _ = TestPodResources.start(node.hostRoot(), new Held("team", "a", A, gpu));
        var sampled = sampled(node)) {
      sampled.until(
          scrape -> assertThat(scrape.of("DCGM_FI_DEV_GPU_TEMP", Map.of("pod", "a"))).isNotEmpty());
      int rounds = sampled.metrics.rounds();
      sampled.until(_ -> assertThat(sampled.metrics.rounds()).isGreaterThan(rounds + 2));
      assertThat(sampled.scrape().types()).doesNotContainKeys(MEMORY, UTILIZATION);
    }
  }

  private static void use(SimulatedNode node, int process, int percent) {
    node.simulate("use", "0", String.valueOf(process), String.valueOf(percent), "1");
  }

  /// What the kernel shows of a process.
  ///
  /// @param started in seconds since the boot, which was 1000 seconds ago
  private static void runs(SimulatedNode node, int process, String cgroup, int started) {
    String proc = "/proc/" + process;
    node.faults().delete(proc + "/stat");
    node.faults().file(proc + "/cgroup", cgroup);
    node.faults()
        .file(
            proc + "/stat",
            "%d (py (3) x) S 1%s %d00 0 0\n".formatted(process, " 0".repeat(17), started));
  }

  private SimulatedNode node(String board) {
    SimulatedNode node = SimulatedNode.create(folder, SimulatedNodeOptions.of(board).withGpus(1));
    node.faults().file("/proc/uptime", "1000.00 0.00\n");
    return node;
  }

  private static TestPodResources share(SimulatedNode node) throws IOException {
    String gpu = node.gpus().getFirst().uuid();
    return TestPodResources.start(
        node.hostRoot(),
        new Held("team", "a", A, gpu + "::0"),
        new Held("team", "b", B, gpu + "::1"));
  }

  private static Sampled sampled(SimulatedNode node) {
    return new Sampled(node, Map.of("DCGM_EXPORTER_KUBERNETES", "true"));
  }

  private static Optional<Double> value(Scrape scrape, String metric, String pod) {
    return scrape.of(metric, Map.of("pod", pod)).stream().findFirst().map(Scrape.Sample::value);
  }
}
