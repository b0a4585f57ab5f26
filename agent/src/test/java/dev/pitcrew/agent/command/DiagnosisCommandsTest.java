package dev.pitcrew.agent.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.agent.command.CommandEndpoint.Reply;
import dev.pitcrew.agent.command.NodeReader.Reading;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.host.NodePlaces;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.process.AgentProcess.Known;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.nvml.NvmlUse;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Commands inside the agent, beside the same commands as processes of their own.
@Timeout(60)
class DiagnosisCommandsTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.ofEpochSecond(1_700_000_000));
  private static final String LAYOUTS =
      """
      version: v1
      mig-configs:
        halves:
        - devices: all
          mig-enabled: true
          mig-devices: {3g.20gb: 2}
      """;

  @TempDir private Path folder;
  private final NvmlUse use = new NvmlUse();
  private DiagnosisCommands.Limits limits = DiagnosisCommands.Limits.USUAL;
  private Optional<SimulatedNode> created = Optional.empty();

  @BeforeEach
  void node() {
    created =
        Optional.of(
            SimulatedNode.create(folder.resolve("node"), SimulatedNodeOptions.of("a100-40g")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "inventory",
        "inventory --oneshot -o json",
        "inventory -o xml",
        "inventory --nvm",
        "labels --oneshot",
        "labels -oneshot -o json --mig-strategy=mixed",
        "labels --oneshot --mig-strategy=both",
        "labels --help",
        "features",
        "cdi",
        "cdi --device-id 0 --format json",
        "cdi --mode management",
        "validate",
        "validate --component driver -o json",
        "mig plan -f LAYOUTS",
        "mig plan -f LAYOUTS -c thirds",
        "mig assert -f LAYOUTS --mode-only",
        "mig export",
        "mig plan --help",
        "runtime plan",
      })
  void theAnswerIsThatOfAProcessOfItsOwn(String line) throws IOException {
    String[] words = words(line);
    CommandRun alone = CommandRun.of(new NvmlReader(), Map.of(), withRoots(words));

    assertThat(run(commands(this::known).reply(Arrays.asList(words)))).isEqualTo(alone);
    assertThat(use.isOver()).isTrue();
  }

  @Test
  void metricsArePrintedWithRates() {
    var reply = run(commands(this::known).reply(List.of("metrics", "--oneshot", "--no-hostname")));

    assertThat(reply.exitCode()).as(reply.errors()).isZero();
    assertThat(reply.output())
        .contains("\nDCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL{gpu=\"1\",")
        .contains("\npitcrew_metrics_driver_answers 1\n");
    assertThat(use.isOver()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "agent",
        "plugin",
        "cuda-check",
        "driver-manager",
        "vfio-manage bind --all",
        "mig apply -f LAYOUTS",
        "mig checkpoint -f LAYOUTS",
        "mig restore -f LAYOUTS",
        "runtime apply",
        "runtime undo",
        "runtime plan --socket /run/other.sock",
        "labels",
        "labels --oneshot=false",
        "labels --oneshot --output-file /tmp/labels",
        "labels --oneshot --config-file LAYOUTS",
        "metrics",
        "metrics --oneshot --collectors LAYOUTS",
        "cdi --output /tmp/cdi.yaml",
        "cdi --dev-root /dev",
        "validate --with-wait",
        "validate --output-dir /tmp",
        "inventory --nvml /lib/libnvidia-ml.so.1",
        "inventory --driver-root /",
        "inventory --host-root /",
        "mig plan -f -",
        "mig plan -f /dev/zero",
        "mig plan -f /proc/self/status",
        "mig plan -f /tmp",
        "mig plan -f LONG",
        "mig plan -f LAYOUTS --call-seconds 600",
        "mig",
        "nonsense",
      })
  void commandThatChangesState_isLeftToAProcessOfItsOwn(String line) throws IOException {
    assertThat(commands(this::known).reply(Arrays.asList(words(line))))
        .isEqualTo(new Reply.Declined());
  }

  @Test
  void theAgentsOwnHostRootMayBeNamed() {
    List<String> words = List.of("inventory", "--host-root", host().folder().toString());

    assertThat(run(commands(this::known).reply(words)).output()).contains("GPU 1");
  }

  @Test
  void anAgentThatKnowsNothingYetDeclines() {
    assertThat(commands(Optional::empty).reply(List.of("inventory")))
        .isEqualTo(new Reply.Declined());
  }

  @Test
  void commandThatCallsNvml_isDeclinedWhereNvmlIsClosed() throws IOException {
    var commands = commands(() -> Optional.of(known(snapshot(), false)));

    assertThat(commands.reply(List.of("metrics", "--oneshot"))).isEqualTo(new Reply.Declined());
    assertThat(commands.reply(Arrays.asList(words("mig plan -f LAYOUTS"))))
        .isEqualTo(new Reply.Declined());
    assertThat(run(commands.reply(List.of("inventory"))).output()).contains("GPU 1");
    assertThat(use.isOver()).isTrue();
  }

  @Test
  void gpuThatNoLongerAnswers_isReportedAsSuch() {
    Inventory inventory = inventory();
    String uuid = inventory.gpus().getLast().uuid();
    var silent =
        new NodeSnapshot.WithDriver(
            new KnownGpus(
                inventory, Map.of(uuid, "nvmlDeviceGetUUID: the GPU is lost"), Set.of(uuid)),
            UnhealthyDevices.NONE);

    var reply = run(commands(() -> Optional.of(known(silent, false))).reply(List.of("inventory")));

    assertThat(reply.output())
        .contains("GPU 0  GPU-")
        .contains("GPU 1  ")
        .contains("nvmlDeviceGetUUID: the GPU is lost")
        .doesNotContain(uuid);
  }

  @Test
  void whyTheDriverIsLeftAloneIsTheReason() {
    var without = new NodeSnapshot.WithoutDriver("the driver is left alone", Optional.empty());

    var reply = run(commands(() -> Optional.of(known(without, false))).reply(List.of("inventory")));

    assertThat(reply.exitCode()).isEqualTo(PitcrewCommand.FAILED);
    assertThat(reply.errors())
        .startsWith("no GPU can be read: the driver is left alone; check the driver");
  }

  @Test
  void oneCommandIsCarriedOutAtATime() throws Exception {
    var begun = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    Supplier<Optional<Known>> slow =
        () -> {
          begun.countDown();
          pass(goOn);
          return known();
        };
    var commands = commands(slow);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var first = threads.submit(() -> commands.reply(List.of("inventory")));
      begun.await();

      var second = run(commands.reply(List.of("labels", "--oneshot")));

      assertThat(second.exitCode()).isEqualTo(PitcrewCommand.FAILED);
      assertThat(second.errors())
          .isEqualTo("the agent carries out 'pitcrew inventory' at the moment: try again\n");
      goOn.countDown();
      assertThat(run(first.get()).output()).contains("GPU 1");
    }
  }

  @Test
  void aCommandThatTakesTooLongIsEnded() {
    limits = new DiagnosisCommands.Limits(Duration.ofMillis(100), 1024 * 1024);
    var forEver = new CountDownLatch(1);

    Supplier<Optional<Known>> hung =
        () -> {
          pass(forEver);
          return Optional.empty();
        };

    var reply = run(commands(hung).reply(List.of("inventory")));

    assertThat(reply.exitCode()).isEqualTo(PitcrewCommand.FAILED);
    assertThat(reply.errors()).startsWith("pitcrew inventory took longer than 0 s and was ended: ");
  }

  /// As on a disk that does not answer.
  @Test
  void whileACommandIsStuckTheOthersAreLeftToProcessesOfTheirOwn() {
    limits = new DiagnosisCommands.Limits(Duration.ofMillis(500), 1024 * 1024);
    var goOn = new CountDownLatch(1);
    var knows = new AtomicReference<Optional<Known>>(Optional.empty());
    Supplier<Optional<Known>> stuck =
        () -> {
          while (goOn.getCount() > 0) {
            Thread.onSpinWait();
          }
          return knows.get();
        };
    var commands = commands(stuck);
    var inventory = List.of("inventory");

    assertThat(run(commands.reply(inventory)).errors()).contains("took longer than");
    assertThat(commands.reply(inventory)).isEqualTo(new Reply.Declined());

    goOn.countDown();
    knows.set(known());
    await()
        .untilAsserted(() -> assertThat(run(commands.reply(inventory)).output()).contains("GPU 1"));
  }

  @Test
  void answerOverTheLimit_isLeftToAProcessOfItsOwn() {
    limits = new DiagnosisCommands.Limits(Duration.ofSeconds(30), 100);

    assertThat(commands(this::known).reply(List.of("inventory"))).isEqualTo(new Reply.Declined());
  }

  private DiagnosisCommands commands(Supplier<Optional<Known>> known) {
    var identity = new AgentContext.Identity("node-a", "agent-pod", "pitcrew", "pitcrew-agent");
    var place =
        new AgentContext(
            identity,
            Credentials.of(URI.create("https://127.0.0.1:1"), folder),
            host(),
            new AgentContext.Folders(
                folder,
                AgentContext.KubeletRoot.of(folder),
                folder,
                folder.resolve("state"),
                folder),
            Optional.empty(),
            new BindAddress.Off(),
            CLOCK);
    return new DiagnosisCommands(place, Map.of(), known, limits);
  }

  private HostRoot host() {
    return new HostRoot(created.orElseThrow().hostRoot());
  }

  private Optional<Known> known() {
    return Optional.of(known(snapshot(), true));
  }

  private Known known(NodeSnapshot snapshot, boolean lendsDriver) {
    return new Known(snapshot, "/run/nvidia/driver", Optional.of(driverRoot()), lendsDriver, use);
  }

  private NodeSnapshot snapshot() {
    return new NodeSnapshot.WithDriver(KnownGpus.first(inventory()), UnhealthyDevices.NONE);
  }

  private Inventory inventory() {
    var places =
        new NodePlaces(host(), NodePlaces.finder(host(), "/run/nvidia/driver"), Optional.empty());
    return ((Reading.Read) new NvmlReader().read(places)).inventory();
  }

  private String[] words(String line) throws IOException {
    Path layouts = Files.writeString(folder.resolve("layouts.yaml"), LAYOUTS);
    Path longer = Files.writeString(folder.resolve("long.yaml"), LAYOUTS + " ".repeat(100_000));
    return line.replace("LAYOUTS", layouts.toString())
        .replace("LONG", longer.toString())
        .split(" ");
  }

  /// What must be said to a process of its own.
  private String[] withRoots(String... words) {
    boolean takesDriver = !List.of("features", "validate", "runtime").contains(words[0]);
    return Stream.concat(
            Arrays.stream(words),
            Stream.of("--host-root=" + host().folder(), "--driver-root=" + driverRoot())
                .limit(takesDriver ? 2 : 1))
        .toArray(String[]::new);
  }

  private String driverRoot() {
    return created.orElseThrow().options().driverRoot();
  }

  private static CommandRun run(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Done.class);
    var done = (Reply.Done) reply;
    return new CommandRun(
        done.exitCode(),
        UTF_8.decode(done.output().duplicate()).toString(),
        UTF_8.decode(done.errors().duplicate()).toString());
  }

  private static void pass(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
