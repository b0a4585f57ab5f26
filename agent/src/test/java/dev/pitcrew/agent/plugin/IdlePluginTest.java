package dev.pitcrew.agent.plugin;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.command.Main;
import dev.pitcrew.agent.host.OpenFiles;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// What `pitcrew plugin` has running while nothing happens, by the flags of production.
@EnabledOnOs(OS.LINUX)
class IdlePluginTest {
  private static final int GPUS = 8;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// As Linux names threads, in 15 characters. The reference's plugin has 14 in all.
  private static final Map<String, Long> OURS =
      Map.of(
          "nvml-calls", 1L,
          "nvml-events", 1L,
          "cuda00001800007", 1L, // the library's own, as with a real one
          "kernel-events", 1L,
          "FileSystemWatch", 2L,
          "multiThreadIoEv", 1L,
          // One that wakes virtual threads, and as many that carry them as were busy at once:
          // three or four as a rule, and 16 at most by the flags.
          "ForkJoinPool-1-", 17L,
          "VirtualThread-u", 1L);

  private static final Map<String, Long> OF_THE_JVM =
      Map.of(
          "java", 2L,
          "VM Thread", 1L,
          "VM Periodic Tas", 1L,
          "Reference Handl", 1L,
          "Signal Dispatch", 1L,
          "Service Thread", 1L,
          "Monitor Deflati", 1L,
          "Common-Cleaner", 1L,
          "Notification Th", 1L,
          "Native Heap Tri", 1L);

  /// More than one while much is compiled, on machines with many processors.
  private static final String COMPILER = "C1 CompilerThre";

  @TempDir Path nodeFolder;
  @TempDir Path kubeletFolder;
  @TempDir Path cdiFolder;

  @Test
  void pluginOfEightGpus_hasThisManyThreadsAtRest() throws Exception {
    var node = SimulatedNode.create(nodeFolder, SimulatedNodeOptions.of("h100").withGpus(GPUS));
    try (var kubelet = TestKubelet.start(kubeletFolder)) {
      Process plugin = start(node);
      await().atMost(LIMIT).until(() -> Files.exists(kubeletFolder.resolve("nvidia-gpu.sock")));
      try (var client = kubelet.dial(kubelet.nextRegistration().getEndpoint())) {
        assertThat(client.watch().next().getDevicesList()).hasSize(GPUS);

        await()
            .atMost(LIMIT)
            .untilAsserted(() -> assertThat(beyondExpectation(threads(plugin.pid()))).isEmpty());
      } finally {
        plugin.destroy();
        plugin.waitFor();
      }
    }
  }

  /// A real library keeps these files open, so a search for users of the driver finds the plugin.
  @Test
  void pluginShowsAsAUserOfTheDriver() throws Exception {
    var node = SimulatedNode.create(nodeFolder, SimulatedNodeOptions.of("h100").withGpus(2));
    try (var kubelet = TestKubelet.start(kubeletFolder)) {
      Process plugin = start(node);
      try {
        kubelet.nextRegistration();
        var machine = new OpenFiles(new HostRoot(Path.of("/")));
        for (var file : List.of("nvidiactl", "nvidia0", "nvidia1")) {
          var path = node.driverRoot().resolve("dev").resolve(file).toString();
          assertThat(machine.matching(path::equals))
              .extracting(OpenFiles.Opened::process)
              .contains("process %d (java)".formatted(plugin.pid()));
        }
      } finally {
        plugin.destroy();
        plugin.waitFor();
      }
    }
  }

  private Process start(SimulatedNode node) throws IOException {
    var builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "@src/main/jvm/agent.flags",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "plugin",
            "--host-root=" + node.hostRoot(),
            "--driver-root=" + node.options().driverRoot(),
            "--kubelet-dir=" + kubeletFolder,
            "--cdi-dir=" + cdiFolder);
    builder.environment().put("NVML_SIM_DEV", node.driverRoot().resolve("dev").toString());
    return builder
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static Map<String, Long> beyondExpectation(Map<String, Long> threads) {
    var beyond = new TreeMap<String, Long>();
    threads.forEach((name, count) -> {
      long most = OURS.getOrDefault(name, OF_THE_JVM.getOrDefault(name, 0L));
      if (count > most && !name.equals(COMPILER)) {
        beyond.put(name, count);
      }
    });
    return beyond;
  }

  private static Map<String, Long> threads(long process) throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(process), "task"))) {
      return tasks
          .flatMap(task -> name(task).stream())
          .collect(groupingBy(it -> it, TreeMap::new, counting()));
    }
  }

  /// None where the thread has ended meanwhile.
  private static List<String> name(Path task) {
    try {
      return List.of(Files.readString(task.resolve("comm")).strip());
    } catch (IOException _) {
      return List.of();
    }
  }
}
