package dev.pitcrew.agent.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.health.HealthRules;
import dev.pitcrew.agent.health.LogNotes;
import dev.pitcrew.agent.health.Sign;
import dev.pitcrew.agent.health.SwitchError;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.agent.node.NodeSnapshot.WithDriver;
import dev.pitcrew.agent.plugin.Facts;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Xids and SXids of a simulated node's kernel log. GPU 3 is the mark: lines are settled in their
/// order, so that once its Xid counts, all before it have been decided.
class KernelLogXidTest {
  private static final int MARK = 3;
  private static final int UNKNOWN_ERROR = 999;
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String XID_79 = "NVRM: Xid (PCI:%s): 79, GPU has fallen off the bus.";

  @TempDir Path folder;
  private final AtomicReference<WithDriver> newest = new AtomicReference<>();
  private SimulatedNode node;

  @BeforeEach
  void create() {
    node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100").withGpus(MARK + 1));
    node.kernelLog().kernel("it begins");
  }

  @Test
  void xidThatNvmlDoesNotDeliver_makesTheGpuUnhealthy() {
    try (var _ = start(XidPolicy.DEFAULT)) {
      logXid(1, 79);

      awaitUnhealthy(Set.of(1));
      assertThat(newest.get().health().of(gpu(1))).contains("Xid 79");
    }
  }

  @Test
  void xidOfBothSources_countsOnce() {
    try (var _ = start(XidPolicy.DEFAULT)) {
      node.xid(1, 79);
      awaitUnhealthy(Set.of(1));
      List<Sign> before = signs(1);

      awaitMark(Set.of(1));
      assertThat(signs(1)).isEqualTo(before).hasSize(1);
    }
  }

  /// The line is of the whole GPU, and NVML's event of one MIG device.
  @Test
  void xidOfBothSources_isOfTheDeviceThatNvmlNames() {
    node.divide("mode 1 1 1\ngi 1 3 1 0 2\nci 1 3 0 1 0 2\n");
    try (var _ = start(XidPolicy.DEFAULT)) {
      logXid(1, 95);
      node.simulate("xid", "1", "95", "3", "0");

      awaitMark(Set.of(1));
      assertThat(newest.get().health().unhealthy().keySet())
          .containsExactlyInAnyOrder(node.migDevices().getFirst().uuid(), gpu(MARK).uuid());
    }
  }

  @Test
  void lineThatNamesAMigDevice_isOfThatOne() {
    node.divide("mode 1 1 1\ngi 1 3 1 0 2\nci 1 3 0 1 0 2\n");
    try (var _ = start(XidPolicy.DEFAULT)) {
      node.kernelLog().driver("NVRM: Xid (PCI:%s GPU-I:03 GPU-CI:00): 95, x".formatted(address(1)));

      awaitUnhealthy(Set.of(1));
      assertThat(newest.get().health().unhealthy())
          .containsOnlyKeys(node.migDevices().getFirst().uuid());
    }
  }

  /// Whatever a tenant can bring into the log.
  @Test
  void linesThatAreNotTheDrivers_areNotBelieved() {
    try (var _ = start(XidPolicy.DEFAULT)) {
      node.kernelLog().process(XID_79.formatted(address(0)));
      node.kernelLog().process("<0>" + XID_79.formatted(address(0)));
      node.kernelLog().process("x\n" + XID_79.formatted(address(0)));
      node.kernelLog().kernel("NVRM: Xid (PCI:[4711]: segfault at 0 ip 0000000000401136");
      node.kernelLog().kernel("traps: " + XID_79.formatted(address(0)));

      awaitMark(Set.of());
    }
  }

  @Test
  void xidThatThePolicyIgnores_changesNothing() {
    try (var _ = start(XidPolicy.of("79,48", ""))) {
      logXid(0, 79);
      logXid(1, 31);

      awaitUnhealthy(Set.of(MARK), () -> logXid(MARK, 95));
    }
  }

  @Test
  void xidThatNvmlKeepsForItself_countsOnlyIfTheGpuMustBeReset() {
    try (var _ = start(XidPolicy.DEFAULT)) {
      logXid(0, 63);
      logXid(1, 154);

      awaitMark(Set.of());
    }
  }

  @Test
  void whereNvmlDeliversNoEvents_eachXidOfTheLogCounts() {
    try (var _ = start(XidPolicy.DEFAULT)) {
      node.failEventWaits(UNKNOWN_ERROR, 1_000_000);
      await()
          .atMost(LONG)
          .until(() -> {
            logXid(0, 94);
            return unhealthy().equals(Set.of(0));
          });
    }
  }

  @Test
  void recordOlderThanTheFirstReader_doesNotCount() {
    logXid(1, 79);
    try (var _ = start(XidPolicy.DEFAULT)) {
      awaitMark(Set.of());
    }
  }

  @Test
  void recordBetweenTwoReaders_countsOnce() {
    try (var _ = start(XidPolicy.DEFAULT)) {
      awaitMark(Set.of());
    }
    WithDriver before = newest.get();
    logXid(1, 79);
    node.faults().file("/proc/uptime", "3600.25 7200.00\n");
    try (var _ = start(Optional.of(before))) {
      awaitUnhealthy(Set.of(1, MARK));
      assertThat(signs(1).getFirst().since()).isBefore(Instant.now().minusSeconds(3000));
      assertThat(signs(MARK)).isEqualTo(signs(before, MARK));
    }

    // As after a reset that the readers did not see: none of the lines counts again.
    var healed = new WithDriver(before.gpus(), UnhealthyDevices.NONE, Set.of(), newest.get().log());
    try (var _ = start(Optional.of(healed))) {
      logXid(2, 48);
      awaitUnhealthy(Set.of(2));
    }
  }

  @Test
  void loadOfTheDriver_makesAllThatWasBeforeVoid() {
    WithDriver before;
    try (var _ = start(XidPolicy.DEFAULT)) {
      node.kernelLog().driver(switchError(20034, "Fatal"));
      awaitMark(Set.of());
      before = newest.get();
      assertThat(before.log().switches()).hasSize(1);
    }
    logXid(1, 79);
    node.kernelLog().driver("NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.95.05");
    logXid(2, 79);
    try (var _ = start(Optional.of(before))) {
      awaitUnhealthy(Set.of(2, MARK));
      assertThat(newest.get().log().switches()).isEmpty();
    }
  }

  @Test
  void errorsOfSwitches_areKnownAndHeldAgainstNoGpu() {
    try (var _ = start(XidPolicy.DEFAULT)) {
      node.kernelLog().process(switchError(10003, "Fatal"));
      for (int i = 0; i < 3; i++) {
        node.kernelLog().driver(switchError(20034, "Fatal"));
        node.kernelLog().driver(switchError(12028, "Non-fatal"));
      }
      for (int i = 0; i < 40; i++) {
        node.kernelLog().driver(switchError(30000 + i, "Non-fatal"));
      }

      awaitMark(Set.of());
      assertThat(newest.get().log().switches())
          .hasSize(LogNotes.MOST)
          .extracting(SwitchError::number)
          .startsWith(20034L, 12028L, 30000L);
    }
  }

  /// NVML says nothing of it.
  private void logXid(int gpu, int code) {
    node.kernelLog().xid(node.gpus().get(gpu), code);
  }

  private static String switchError(int number, String severity) {
    return "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): %d, %s, Link 30 LTSSM Fault Up"
        .formatted(number, severity);
  }

  private NodeWatch start(XidPolicy policy) {
    var watch = start(policy, Optional.empty());
    awaitUnhealthy(Set.of());
    return watch;
  }

  private NodeWatch start(Optional<WithDriver> before) {
    return start(XidPolicy.DEFAULT, before);
  }

  private NodeWatch start(XidPolicy policy, Optional<WithDriver> before) {
    var rules = new HealthRules(Duration.ofMinutes(5));
    return NodeWatch.start(
        new NodeWatch.Basis(Facts.settings(node), policy, Optional.of(rules), before),
        InstantSource.system(),
        snapshot -> {
          if (snapshot instanceof WithDriver loaded) {
            newest.set(loaded);
          }
        });
  }

  private void awaitMark(Set<Integer> others) {
    Set<Integer> all = new HashSet<>(others);
    all.add(MARK);
    awaitUnhealthy(all, () -> logXid(MARK, 79));
  }

  private void awaitUnhealthy(Set<Integer> indices, Runnable after) {
    after.run();
    await().atMost(LONG).until(() -> unhealthy().contains(MARK));
    assertThat(unhealthy()).isEqualTo(indices);
  }

  private void awaitUnhealthy(Set<Integer> indices) {
    await().atMost(LONG).until(() -> newest.get() != null && unhealthy().equals(indices));
  }

  private Set<Integer> unhealthy() {
    WithDriver now = newest.get();
    return now.gpus().inventory().gpus().stream()
        .filter(gpu ->
            now.health().of(gpu).isPresent()
                || gpu.mig().migDevices().stream()
                    .anyMatch(part -> now.health().unhealthy().containsKey(part.uuid())))
        .map(Gpu::index)
        .collect(Collectors.toSet());
  }

  private List<Sign> signs(int index) {
    return signs(newest.get(), index);
  }

  private List<Sign> signs(WithDriver snapshot, int index) {
    return snapshot.unhealthy().signs().of(gpu(index).uuid());
  }

  private Gpu gpu(int index) {
    return newest.get().gpus().inventory().gpus().get(index);
  }

  private String address(int index) {
    String full = node.gpus().get(index).pciAddress();
    return full.substring(0, full.lastIndexOf('.'));
  }
}
