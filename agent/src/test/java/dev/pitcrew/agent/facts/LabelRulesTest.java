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
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Eight boards, every way of sharing and every MIG strategy, on layouts that are uniform, that are
/// not, and that are not finished: through the command line and the simulated NVML, the labels are
/// those that the rules say, and no other.
class LabelRulesTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int GPUS = 8;
  private static final Map<String, SimulatedNode> NODES = new HashMap<>();
  private static final Map<String, String> LAYOUT_NOW = new HashMap<>();

  @TempDir private static Path folder;

  @BeforeAll
  static void bootNodes() throws IOException {
    for (String board : LabelRules.boards()) {
      Path place = Files.createDirectory(folder.resolve(board));
      NODES.put(board, SimulatedNode.create(place, SimulatedNodeOptions.of(board).withGpus(GPUS)));
    }
  }

  static Stream<LabelRules> cases() {
    return LabelRules.all();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void labelsAreThoseOfTheRules(LabelRules rules) throws IOException {
    SimulatedNode node = divided(rules);
    Path config = Files.writeString(folder.resolve("config.yaml"), rules.configFile());

    var run =
        CommandRun.of(
            node,
            "labels",
            "--oneshot",
            "-o",
            "json",
            "--mig-strategy=" + rules.layout().at("strategy"),
            "--config-file=" + config);

    assertThat(run.exitCode()).as(run.errors()).isZero();
    assertThat(labels(run.output())).isEqualTo(rules.labels());
  }

  @Test
  void everyBoardIsLookedAtInEveryWay() {
    assertThat(LabelRules.boards()).hasSize(8);
    assertThat(cases()).hasSize(2 * 9 + 6 * 8 * 9);
  }

  private static SimulatedNode divided(LabelRules rules) {
    String board = rules.board().at("board");
    String layout = rules.layout().at("layout");
    SimulatedNode node = Objects.requireNonNull(NODES.get(board));
    if (rules.hasMig() && !layout.equals(LAYOUT_NOW.put(board, layout))) {
      node.divide(modes("mode %d 0 0\n"));
      node.divide(lines(layout));
    }
    return node;
  }

  private static String lines(String layout) {
    return switch (layout) {
      case "whole" -> modes("mode %d 0 0\n");
      case "pending" -> modes("mode %d 0 1\n");
      default -> MigLayouts.lines(layout);
    };
  }

  private static String modes(String line) {
    return IntStream.range(0, GPUS).mapToObj(line::formatted).collect(Collectors.joining());
  }

  private static SortedMap<String, String> labels(String json) throws IOException {
    return MAPPER.readValue(json, new TypeReference<TreeMap<String, String>>() {});
  }
}
