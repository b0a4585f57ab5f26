package dev.pitcrew.agent.facts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.agent.command.CommandRun;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Replays every recorded case through the command line and the simulated NVML: same board, number
/// of GPUs, MIG layout and configuration, and then the same labels.
///
/// Machine name and driver version belong to the recording; here the machine is called as there,
/// and the driver is the recorded one. The board that the records call `t4` reported that it is an
/// `NVIDIA T4` with 16384 MiB, where a real one is a `Tesla T4` with 15360 MiB; the simulator is
/// real here, so its memory is set and the name is translated.
class RecordedLabelsTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String WHOLE = "mode %d 0 0\n";
  private static final int A100_GPUS = 8;
  private static final int T4_GPUS = 4;
  private static final Map<String, SimulatedNode> NODES = new HashMap<>();

  @TempDir private static Path folder;

  @TempDir private Path work;

  @BeforeAll
  static void bootNodes() throws IOException {
    NODES.put("a100", node("a100-40g", A100_GPUS));
    SimulatedNode t4 = node("t4", T4_GPUS);
    for (int gpu = 0; gpu < T4_GPUS; gpu++) {
      t4.set(gpu, "memory_mib", "16384");
    }
    NODES.put("t4", t4);
  }

  private static SimulatedNode node(String profile, int gpus) throws IOException {
    var node =
        SimulatedNode.create(
            Files.createDirectory(folder.resolve(profile)),
            SimulatedNodeOptions.of(profile).withGpus(gpus));
    Files.writeString(node.hostRoot().resolve("sys/class/dmi/id/product_name"), "Test Server\n");
    return node;
  }

  static List<RecordedLabels> recordings() {
    return RecordedLabels.all();
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void labelsAreThoseThatTheReferenceWasRecordedToGive(RecordedLabels recorded) throws IOException {
    SimulatedNode node = NODES.get(recorded.board());
    divide(node, recorded);
    Path config = Files.writeString(work.resolve("config.yaml"), recorded.configFile());

    var run =
        CommandRun.of(
            node,
            "labels",
            "--oneshot",
            "-o",
            "json",
            "--mig-strategy=" + recorded.migStrategy(),
            "--config-file=" + config);

    assertThat(run.exitCode()).as(run.errors()).isZero();
    assertThat(volatileAsRecorded(labels(run.output()), recorded))
        .isEqualTo(recorded.in(Map.of("NVIDIA-T4", "Tesla-T4")));
  }

  @Test
  void allRecordingsAreReplayed() {
    assertThat(recordings()).hasSize(57);
  }

  private static void divide(SimulatedNode node, RecordedLabels recorded) {
    if (recorded.board().equals("a100")) {
      var whole = new StringBuilder();
      for (int gpu = 0; gpu < A100_GPUS; gpu++) {
        whole.append(WHOLE.formatted(gpu));
      }
      node.divide(whole.toString());
    }
    recorded.layout().map(MigLayouts::lines).ifPresent(node::divide);
  }

  private static SortedMap<String, String> labels(String json) throws IOException {
    return MAPPER.readValue(json, new TypeReference<TreeMap<String, String>>() {});
  }

  private static SortedMap<String, String> volatileAsRecorded(
      SortedMap<String, String> labels, RecordedLabels recorded) {
    labels.replaceAll((key, value) ->
        RecordedLabels.VOLATILE.equals(recorded.labels().get(key))
            ? RecordedLabels.VOLATILE
            : value);
    return labels;
  }
}
