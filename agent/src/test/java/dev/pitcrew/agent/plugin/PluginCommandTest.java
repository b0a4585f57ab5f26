package dev.pitcrew.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.agent.command.NvmlReader;
import dev.pitcrew.agent.command.PitcrewCommand;
import dev.pitcrew.agent.command.ReloadSignal;
import dev.pitcrew.agent.command.StopSignal;
import dev.pitcrew.agent.command.Surroundings;
import dev.pitcrew.agent.node.NodeWatch;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.kubelet.deviceplugin.ListAndWatchResponse;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `pitcrew plugin` from the command line down to simulated GPUs, with a kubelet's part played over
/// real sockets.
class PluginCommandTest {
  private static final int GPUS = 2;
  private static final int IGNORED_XID = 31;
  private static final String SOCKET = "nvidia-gpu.sock";

  @TempDir Path nodeFolder;
  @TempDir Path kubeletFolder;
  @TempDir Path cdiFolder;

  private SimulatedNode node;

  @BeforeEach
  void makeNode() {
    node = SimulatedNode.create(nodeFolder, SimulatedNodeOptions.of("h100").withGpus(GPUS));
  }

  @Test
  void healthComesAndGoesWithTheGpusAndTheDriver() throws Exception {
    try (var kubelet = TestKubelet.start(kubeletFolder);
        var run = new Run()) {
      assertThat(kubelet.nextRegistration().getResourceName()).isEqualTo("nvidia.com/gpu");
      try (var client = kubelet.dial(SOCKET)) {
        var lists = client.watch();
        assertThat(unhealthy(lists.next())).isEmpty();

        node.xid(0, 79);
        assertThat(unhealthy(lists.next())).containsExactly(node.gpus().getFirst().uuid());

        node.unloadDriver();
        assertThat(unhealthy(lists.next())).hasSize(GPUS);

        node.loadDriver();
        assertThat(unhealthy(lists.next())).isEmpty();
      }
      assertThat(run.stop()).isZero();
      assertThat(kubeletFolder.resolve(SOCKET)).doesNotExist();
    }
  }

  @Test
  void gpuThatBecomesUnhealthyAndHealthyAgain_isLogged() throws Exception {
    var lines = new LinkedBlockingQueue<String>();
    var logger = Logger.getLogger(NodeWatch.class.getName());
    var handler = new Lines(lines);
    logger.addHandler(handler);
    try (var kubelet = TestKubelet.start(kubeletFolder);
        var run = new Run()) {
      kubelet.nextRegistration();
      node.xid(0, 79);
      String uuid = node.gpus().getFirst().uuid();
      assertThat(lines.poll(Run.LIMIT_SECONDS, TimeUnit.SECONDS))
          .contains(uuid, "unhealthy", "Xid 79");

      node.reboot();
      await().until(() -> lines.stream().anyMatch(it -> it.contains("healthy again")));
      assertThat(lines)
          .anySatisfy(line -> assertThat(line).contains(uuid, "the device is healthy again"));
      assertThat(run.stop()).isZero();
    } finally {
      logger.removeHandler(handler);
    }
  }

  @Test
  void aGpuThatIsLostIsUnhealthyForJustAsLong() throws Exception {
    try (var kubelet = TestKubelet.start(kubeletFolder);
        var run = new Run()) {
      kubelet.nextRegistration();
      try (var client = kubelet.dial(SOCKET)) {
        var lists = client.watch();
        assertThat(unhealthy(lists.next())).isEmpty();

        node.lose(1);
        for (int event = 0; event < 20; event++) {
          node.xid(0, IGNORED_XID);
        }
        assertThat(unhealthy(lists.next())).containsExactly(node.gpus().getLast().uuid());

        node.restore(1);
        assertThat(unhealthy(lists.next())).isEmpty();
      }
      assertThat(run.stop()).isZero();
    }
  }

  @Test
  void specificationsThatCouldNotBeWrittenAreTriedAgain() throws Exception {
    assumeTrue(node.hasDeviceNodes(), "device nodes need root");
    Path inTheWay = Files.createFile(cdiFolder.resolve("cdi"));
    cdiFolder = inTheWay;
    try (var kubelet = TestKubelet.start(kubeletFolder);
        var run = new Run("--device-list-strategy=cdi-cri")) {
      Files.delete(inTheWay);
      node.xid(0, 79);

      kubelet.nextRegistration();
      assertThat(specification()).contains(node.gpus().getFirst().uuid());
      assertThat(run.stop()).isZero();
    }
  }

  @Test
  void aChannelThatMustBeThereAndIsNotEndsIt() throws Exception {
    try (var run = new Run("--imex-required", "--imex-channel-ids=0")) {
      assertThat(run.exitCode()).isEqualTo(1);
    }
  }

  @Test
  void aDriverThatComesLaterIsWaitedForIfAsked() throws Exception {
    node.unloadDriver();
    try (var kubelet = TestKubelet.start(kubeletFolder);
        var run = new Run("--fail-on-init-error=false")) {
      node.loadDriver();

      assertThat(kubelet.nextRegistration().getEndpoint()).isEqualTo(SOCKET);
      assertThat(run.stop()).isZero();
    }
  }

  @Test
  void withoutDriverItEndsIfNotAskedToWait() throws Exception {
    node.unloadDriver();
    try (var run = new Run()) {
      assertThat(run.exitCode()).isEqualTo(1);
    }
  }

  @Test
  void withoutLibraryCdiEndsItHoweverItIsAsked() throws Exception {
    Files.delete(node.state().resolveSibling("libnvidia-ml.so.1").toRealPath());
    try (var run = new Run("--device-list-strategy=cdi-cri", "--fail-on-init-error=false")) {
      assertThat(run.exitCode()).isEqualTo(1);
    }
  }

  @Test
  void aHangUpReloadsTheConfigurationAndABadOneChangesNothing() throws Exception {
    Path file = Files.writeString(cdiFolder.resolve("config.yaml"), "version: v1\n");
    try (var kubelet = TestKubelet.start(kubeletFolder);
        var run = new Run("--config-file=" + file)) {
      assertThat(kubelet.nextRegistration().getResourceName()).isEqualTo("nvidia.com/gpu");
      try (var client = kubelet.dial(SOCKET)) {
        var lists = client.watch();
        assertThat(lists.next().getDevicesList()).hasSize(GPUS);
        Files.writeString(file, "version: v1\nsharing: 7\n");
        run.hangUp();
        Files.writeString(
            file,
            """
            version: v1
            sharing:
              timeSlicing:
                resources:
                - name: nvidia.com/gpu
                  replicas: 4
            """);
        run.hangUp();

        assertThat(lists.next().getDevicesList()).hasSize(4 * GPUS);
      }
      assertThat(run.stop()).isZero();
    }
  }

  @Test
  void anUnknownStrategyEndsIt() throws Exception {
    try (var run = new Run("--device-list-strategy=nope")) {
      assertThat(run.exitCode()).isEqualTo(1);
    }
  }

  @Test
  void cdiNameOfADevice_leadsToItsSpecification() throws Exception {
    assumeTrue(node.hasDeviceNodes(), "device nodes need root");
    try (var kubelet = TestKubelet.start(kubeletFolder);
        var run = new Run("--device-list-strategy=cdi-cri")) {
      kubelet.nextRegistration();
      try (var client = kubelet.dial(SOCKET)) {
        String uuid = node.gpus().getFirst().uuid();
        var answer = client.allocate(List.of(List.of(uuid))).getContainerResponses(0);

        assertThat(answer.getCdiDevices(0).getName())
            .isEqualTo("k8s.device-plugin.nvidia.com/gpu=" + uuid);
        assertThat(specification()).contains("\"name\":\"" + uuid + "\"");
      }
      assertThat(run.stop()).isZero();
    }
  }

  @Test
  void sharedByMpsDevicesAreAsWellAsTheirDaemonSays() throws Exception {
    Path calls = cdiFolder.resolve("calls");
    Path answers = cdiFolder.resolve("answers");
    Path program = cdiFolder.resolve("nvidia-cuda-mps-control");
    Files.writeString(
        program,
        "#!/bin/sh\nread q\necho $q $CUDA_MPS_PIPE_DIRECTORY $CUDA_MPS_LOG_DIRECTORY >>%s\n[ -e %s ]\n"
            .formatted(calls, answers));
    assertThat(program.toFile().setExecutable(true)).isTrue();
    try (var kubelet = TestKubelet.start(kubeletFolder);
        var run =
            new Run(
                Map.of("PATH", "/nowhere:" + cdiFolder),
                sharedByMps(4),
                "--mps-root=/run/nvidia/mps")) {
      kubelet.nextRegistration();
      try (var client = kubelet.dial(SOCKET)) {
        var lists = client.watch();
        assertThat(unhealthy(lists.next())).hasSize(GPUS * 4);

        Files.createFile(answers);
        run.hangUp();
        assertThat(unhealthy(lists.next())).isEmpty();
      }
      assertThat(Files.readAllLines(calls))
          .containsOnly(
              "get_default_active_thread_percentage /mps/nvidia.com/gpu/pipe"
                  + " /mps/nvidia.com/gpu/log");
      assertThat(run.stop()).isZero();
    }
  }

  @Test
  void moreReplicasThanAGpuHasClientsOfMpsEndIt() throws Exception {
    try (var run = new Run(sharedByMps(49), "--mps-root=/run/nvidia/mps")) {
      assertThat(run.exitCode()).isEqualTo(1);
    }
  }

  private String sharedByMps(int replicas) throws IOException {
    String resource = "{name: nvidia.com/gpu, replicas: %d}".formatted(replicas);
    String text = "version: v1\nsharing: {mps: {resources: [%s]}}\n".formatted(resource);
    return "--config-file=" + Files.writeString(cdiFolder.resolve("config.yaml"), text);
  }

  private String specification() throws IOException {
    return Files.readString(cdiFolder.resolve("k8s.device-plugin.nvidia.com-gpu.json"));
  }

  private static List<String> unhealthy(ListAndWatchResponse list) {
    return list.getDevicesList().stream()
        .filter(device -> device.getHealth().equals("Unhealthy"))
        .map(Device::getID)
        .toList();
  }

  /// What is logged.
  private static final class Lines extends Handler {
    private final Queue<String> lines;

    Lines(Queue<String> lines) {
      this.lines = lines;
    }

    @Override
    public void publish(LogRecord said) {
      lines.add(said.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /// The command, until it is stopped.
  private final class Run implements AutoCloseable {
    private static final int LIMIT_SECONDS = 30;

    private final StopSignal stop = new StopSignal();
    private final ReloadSignal reload = new ReloadSignal();
    private final CompletableFuture<Integer> end = new CompletableFuture<>();

    Run(String... flags) {
      this(Map.of(), flags);
    }

    Run(Map<String, String> environment, String... flags) {
      var surroundings =
          new Surroundings(new NvmlReader(), environment, InstantSource.system(), stop, reload);
      var arguments =
          new ArrayList<>(
              List.of(
                  "plugin",
                  "--host-root=" + node.hostRoot(),
                  "--driver-root=" + node.options().driverRoot(),
                  "--kubelet-dir=" + kubeletFolder,
                  "--cdi-dir=" + cdiFolder));
      arguments.addAll(List.of(flags));
      Thread.ofVirtual()
          .start(() ->
              end.complete(PitcrewCommand.execute(surroundings, arguments.toArray(String[]::new))));
    }

    int exitCode() throws Exception {
      return end.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    void hangUp() {
      reload.raise();
    }

    int stop() throws Exception {
      stop.raise();
      return exitCode();
    }

    @Override
    public void close() {
      stop.raise();
    }
  }
}
