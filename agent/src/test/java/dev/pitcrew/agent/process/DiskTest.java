package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.agent.plugin.PluginClient;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A file system that is really full, or read-only, below the folders that the agent writes to.
@WithControlPlane
class DiskTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final String MARK = "\n\n\n";

  private RunningAgent agent;
  private TestKubelet kubelet;

  enum Fault {
    FULL("DiskFull", "No space left on device"),
    READ_ONLY("FileNotWritten", "Read-only file system");

    private final String reason;
    private final String words;

    Fault(String reason, String words) {
      this.reason = reason;
      this.words = words;
    }

    void begin(TinyDisk disk) throws Exception {
      switch (this) {
        case FULL -> disk.fill();
        case READ_ONLY -> disk.readOnly();
      }
    }

    void end(TinyDisk disk) throws Exception {
      switch (this) {
        case FULL -> disk.empty();
        case READ_ONLY -> disk.writable();
      }
    }
  }

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder)
      throws IOException {
    assumeTrue(TinyDisk.isPossible(), "only root can mount a file system");
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    agent.configure(configuration(2));
    kubelet = agent.startKubelet();
  }

  @AfterEach
  void end() throws IOException {
    if (agent != null) {
      agent.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void belowTheCdiFolderWhatIsOfferedStays(Fault fault) throws Exception {
    Path cdi = agent.cdiFolder();
    try (var disk = TinyDisk.over(cdi)) {
      agent.start();
      awaitReason("DevicesAdvertised", "True DevicesAdvertised");
      beginOverTouchedFiles(fault, disk, cdi);
      agent.configure(configuration(3));

      awaitReason("DevicesAdvertised", "True " + fault.reason);
      assertThat(agent.message("DevicesAdvertised")).contains(fault.words, cdi.toString());
      assertServedAndReported(fault, 12);

      fault.end(disk);
      awaitReason("DevicesAdvertised", "True DevicesAdvertised");
    }
  }

  @ParameterizedTest
  @EnumSource
  void belowTheStateFolderOnlyTheMemoryIsLost(Fault fault) throws Exception {
    Path state = agent.stateFolder();
    try (var disk = TinyDisk.over(state)) {
      agent.start();
      awaitReason("Ready", "True Ready");
      await().atMost(LIMIT).until(() -> Files.exists(state.resolve("settings.json")));
      fault.begin(disk);
      agent.configure(configuration(3));

      awaitReason("Ready", "True " + fault.reason);
      assertThat(agent.message("Ready")).contains(fault.words, "settings.json");
      assertServedAndReported(fault, 12);

      fault.end(disk);
      awaitReason("Ready", "True Ready");
      assertThat(state.resolve("settings.json")).content().contains("replicas: 3");
    }
  }

  private void assertServedAndReported(Fault fault, int devices) throws Exception {
    await().atMost(LIMIT).untilAsserted(() -> assertThat(events()).contains(fault.reason));
    try (PluginClient client = kubelet.dial("nvidia-gpu.sock")) {
      var listed = client.watch().next().getDevicesList();
      assertThat(listed).hasSize(devices);
      client.allocate(List.of(List.of(listed.getFirst().getID())));
    }
  }

  /// The agent may be faster, and have written them again before the fault.
  private static void beginOverTouchedFiles(Fault fault, TinyDisk disk, Path cdi) throws Exception {
    touch(cdi);
    fault.begin(disk);
    while (!areTouched(cdi)) {
      fault.end(disk);
      touch(cdi);
      fault.begin(disk);
    }
  }

  /// Other bytes with the same names, so that they have to be written again.
  private static void touch(Path cdi) throws IOException {
    for (Path file : specifications(cdi)) {
      Files.writeString(file, MARK, StandardOpenOption.APPEND);
    }
  }

  private static boolean areTouched(Path cdi) throws IOException {
    for (Path file : specifications(cdi)) {
      if (!Files.readString(file).endsWith(MARK)) {
        return false;
      }
    }
    return true;
  }

  private static List<Path> specifications(Path cdi) throws IOException {
    try (var files = Files.list(cdi)) {
      return files.filter(file -> file.toString().endsWith(".json")).toList();
    }
  }

  private void awaitReason(String type, String reason) {
    await().atMost(LIMIT).until(() -> agent.condition(type), reason::equals);
  }

  private List<String> events() {
    return agent.events().stream().map(event -> event.getReason()).toList();
  }

  private static String configuration(int replicas) {
    return """
    version: v1
    flags:
      plugin:
        deviceListStrategy: [cdi-cri]
    sharing:
      timeSlicing:
        resources:
        - name: nvidia.com/gpu
          replicas: %d
    """
        .formatted(replicas);
  }
}
