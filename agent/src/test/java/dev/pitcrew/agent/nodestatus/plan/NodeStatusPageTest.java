package dev.pitcrew.agent.nodestatus.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.health.SwitchError;
import dev.pitcrew.agent.nodestatus.plan.NodeStatus.Seen;
import dev.pitcrew.api.Condition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Names, types, labels and their order are what dashboards and alerts rely on.
class NodeStatusPageTest {
  private static final Path FACTS = Path.of("src/test/resources/facts/node-status");
  private static final Instant START = Instant.ofEpochSecond(1_790_000_000);
  private static final NodeStatus BEGINNING = NodeStatus.beginning("node-a", START);

  @Test
  void aNodeThatWorks() throws IOException {
    var conditions =
        List.of(
            condition("DriverReady", "True", "DriverLoaded"),
            condition("Ready", "False", "GpuUnhealthy"));
    var gpus =
        List.of(
            new SeenGpu("0", "GPU-a", "0000:01:00.0", "Healthy", List.of()),
            new SeenGpu(
                "1",
                "GPU-b",
                "0000:02:00.0",
                "NeedsReset",
                List.of(new SeenGpu.Sign("xid", "95"), new SeenGpu.Sign("remap_pending", ""))));
    var switches = List.of(new SwitchError("0000:c1:00.0", 20034, true, "Link 30", START));
    NodeStatus status = BEGINNING.next(new Seen(true, 8, 7, 12, conditions, gpus, switches), START);

    String page =
        NodeStatusPage.of(status, EnumSet.allOf(ReadyFile.class), START.plusSeconds(60), _ -> {});

    assertThat(page).isEqualTo(Files.readString(FACTS.resolve("works.txt")));
  }

  @Test
  void aNodeOfWhichNothingIsKnown() throws IOException {
    String page = NodeStatusPage.of(BEGINNING, Set.of(), START.plusSeconds(60), _ -> {});

    assertThat(page).isEqualTo(Files.readString(FACTS.resolve("unknown.txt")));
  }

  @Test
  void failedStatus_keepsTheTimeOfItsFailure() {
    NodeStatus works =
        BEGINNING.next(new Seen(true, 8, 8, 8, List.of(), List.of(), List.of()), START);
    NodeStatus ended =
        works.next(
            new Seen(false, 0, 0, 8, List.of(), List.of(), List.of()), START.plusSeconds(100));
    NodeStatus later =
        ended.next(
            new Seen(false, 0, 0, 8, List.of(), List.of(), List.of()), START.plusSeconds(200));

    assertThat(NodeStatusPage.of(later, Set.of(), START.plusSeconds(300), _ -> {}))
        .contains(
            "gpu_operator_node_driver_validation{node=\"node-a\"} 0\n",
            "gpu_operator_node_driver_validation_last_success_ts_seconds{node=\"node-a\"}"
                + " 1790000100\n",
            "gpu_operator_node_device_plugin_validation_last_success_ts_seconds{node=\"node-a\"}"
                + " 1790000100\n");
  }

  private static Condition condition(String type, String status, String reason) {
    return new Condition(type, status, null, START.toString(), reason, "", Map.of());
  }
}
