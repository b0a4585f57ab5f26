package dev.pitcrew.agent.mig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.command.CommandRun;
import dev.pitcrew.agent.mig.config.MigConfig;
import dev.pitcrew.agent.mig.config.MigConfigParser;
import dev.pitcrew.agent.mig.config.ParsedMigConfig;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The default layouts of each simulated board are those of the reference's table, by name and by
/// count, and each of them can be made and is there then.
class SimulatedBoardsTest {
  private static final String LABEL = "all-";

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a30      | 1g.6gb 4, 1g.6gb.me 1, 2g.12gb 2, 2g.12gb.me 1, 4g.24gb 1 | 1g.6gb 2, 2g.12gb 1
          a100-40g | 1g.5gb 7, 1g.5gb.me 1, 1g.10gb 4, 2g.10gb 3, 3g.20gb 2, 4g.20gb 1, 7g.40gb 1 | 1g.5gb 2, 2g.10gb 1, 3g.20gb 1
          a100-80g | 1g.10gb 7, 1g.10gb.me 1, 1g.20gb 4, 2g.20gb 3, 3g.40gb 2, 4g.40gb 1, 7g.80gb 1 | 1g.10gb 2, 2g.20gb 1, 3g.40gb 1
          h100     | 1g.10gb 7, 1g.10gb.me 1, 1g.20gb 4, 2g.20gb 3, 3g.40gb 2, 4g.40gb 1, 7g.80gb 1 | 1g.10gb 2, 2g.20gb 1, 3g.40gb 1
          h200     | 1g.18gb 7, 1g.18gb.me 1, 1g.35gb 4, 2g.35gb 3, 3g.71gb 2, 4g.71gb 1, 7g.141gb 1 | 1g.18gb 2, 2g.35gb 1, 3g.71gb 1
          b200     | 1g.23gb 7, 1g.23gb.me 1, 1g.45gb 4, 2g.45gb 3, 3g.90gb 2, 4g.90gb 1, 7g.180gb 1 | 1g.23gb 2, 2g.45gb 1, 3g.90gb 1
          gb200    | 1g.23gb 7, 1g.23gb.me 1, 1g.47gb 4, 2g.47gb 3, 3g.93gb 2, 4g.93gb 1, 7g.186gb 1 | 1g.23gb 2, 2g.47gb 1, 3g.93gb 1
          """)
  void itsDefaultsAreThoseOfTheTableAndCanBeMade(String board, String each, String balanced)
      throws IOException {
    SimulatedNode node = node(board);
    Path file = folder.resolve("config.yaml");
    assertThat(run(node, "generate-config", "-f", file.toString()).exitCode()).isZero();
    MigConfig config = config(Files.readString(file));

    var wanted = new TreeMap<String, Map<String, Integer>>();
    counts(each)
        .forEach(
            (name, count) -> wanted.put(LABEL + name, Map.of(name.replace(".me", "+me"), count)));
    wanted.put("all-balanced", counts(balanced));
    wanted.put("all-enabled", Map.of());
    wanted.put("all-disabled", Map.of());
    assertThat(counts(config)).isEqualTo(wanted);
    for (String label : wanted.keySet()) {
      CommandRun applied = run(node, "apply", "-f", file.toString(), "-c", label);
      assertThat(applied.exitCode()).as(label + " " + applied.errors()).isZero();
      CommandRun asserted = run(node, "assert", "-f", file.toString(), "-c", label);
      assertThat(asserted.exitCode()).as(label + " " + asserted.errors()).isZero();
    }
  }

  /// Of the boards whose placements were recorded as hardware has them: the recording of an H100
  /// has a `3g` of three memory slices, which leaves no room for the memory that it names.
  @ParameterizedTest
  @CsvSource({"a100-40g, 0x20B010DE", "a100-80g, 0x20B210DE"})
  void itsProfilesAreThoseOfTheRecording(String board, String device) {
    SimulatedNode node = node(board);
    var settings = new GpuSettings(new HostRoot(node.hostRoot()), new HostRoot(node.driverRoot()));
    try (Gpus gpus = Gpus.open(settings).toOptional().orElseThrow()) {
      MigGpu gpu = gpus.partitions().read(0).toOptional().orElseThrow();
      assertThat(gpu.ids().deviceText()).isEqualTo(device);
      assertThat(RecordedBoards.capable(gpu).profiles())
          .containsExactlyInAnyOrderElementsOf(
              RecordedBoards.capable(RecordedBoards.board(device)).profiles());
    }
  }

  private SimulatedNode node(String board) {
    return SimulatedNode.create(folder.resolve(board), SimulatedNodeOptions.of(board));
  }

  private static CommandRun run(SimulatedNode node, String... words) {
    var all = new ArrayList<>(List.of("mig"));
    all.addAll(List.of(words));
    return CommandRun.of(node, all.toArray(String[]::new));
  }

  private static MigConfig config(String text) {
    return switch (MigConfigParser.parse(text)) {
      case ParsedMigConfig.Accepted(var config) -> config;
      case ParsedMigConfig.Rejected(var problem) -> throw new AssertionError(problem.text("file"));
    };
  }

  /// Such as `1g.5gb 7, 2g.10gb 3`.
  private static Map<String, Integer> counts(String text) {
    var counts = new TreeMap<String, Integer>();
    for (String one : text.split(", ", -1)) {
      String[] words = one.split(" ", -1);
      counts.put(words[0], Integer.valueOf(words[1]));
    }
    return counts;
  }

  private static Map<String, Map<String, Integer>> counts(MigConfig config) {
    var all = new TreeMap<String, Map<String, Integer>>();
    config
        .layouts()
        .forEach((label, entries) -> {
          assertThat(entries).as(label).hasSize(1);
          var counts = new TreeMap<String, Integer>();
          entries.getFirst().counts().forEach((shape, count) -> counts.put(shape.name(), count));
          all.put(label, counts);
        });
    return all;
  }
}
