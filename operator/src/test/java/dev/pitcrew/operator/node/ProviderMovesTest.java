package dev.pitcrew.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.node.ProviderMoves.Move;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProviderMovesTest {
  private static final String LABEL = "nvidia.com/gpu.deploy.device-plugin";
  private static final ProviderMoves MOVES =
      new ProviderMoves(Map.of(LABEL, new Move(Set.of("onto"), Set.of("back"))));

  /// `-` is a label that is not there, and a change that there is none of.
  @ParameterizedTest
  @CsvSource({
    "onto,  true,                                        -,        provided-by-agent",
    "onto,  -,                                           true,     provided-by-agent",
    "onto,  provided-by-agent,                           -,        -",
    "onto,  false,                                       -,        -",
    "onto,  paused-for-driver-upgrade,                   -,        -",
    "onto,  paused-for-driver-upgrade,                   true,     provided-by-agent",
    "onto,  true,                                        removed,  removed",
    "other, true,                                        -,        -",
    "other, provided-by-agent,                           -,        -",
    "back,  provided-by-agent,                           -,        true",
    "back,  provided-by-agent_paused-for-driver-upgrade, -,        -",
    "back,  true,                                        -,        -",
  })
  void label_namesTheProvider(String node, String live, String planned, String change) {
    assertThat(written(MOVES, node, live, planned)).isEqualTo(change);
  }

  @ParameterizedTest
  @CsvSource({
    "true,              -",
    "provided-by-agent, true",
    "false,             -",
    "my-own,            -",
  })
  void withoutAChange_labelIsTrueForAnyProvider(String live, String change) {
    assertThat(written(ProviderMoves.NONE, "onto", live, "-")).isEqualTo(change);
  }

  @SuppressWarnings(
      "NullAway") // the class file of a record lacks what its components say of values
  private static String written(ProviderMoves moves, String node, String live, String planned) {
    Map<String, String> labels = live.equals("-") ? Map.of() : Map.of(LABEL, live);
    Map<String, @Nullable String> changes = new HashMap<>();
    if (!planned.equals("-")) {
      changes.put(LABEL, planned.equals("removed") ? null : planned);
    }
    var facts = new NodeFacts(node, "uid", "1", labels, Map.of(), "", "");
    var after = moves.in(new NodeChange(changes, Map.of(), List.of()), facts).labels();
    if (!after.containsKey(LABEL)) {
      return "-";
    }
    var value = after.get(LABEL);
    return value == null ? "removed" : value;
  }
}
