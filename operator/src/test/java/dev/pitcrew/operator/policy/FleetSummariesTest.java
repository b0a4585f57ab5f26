package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.fleetpolicy.ReasonCount;
import dev.pitcrew.api.node.GpuNode;
import dev.pitcrew.core.fleet.NodeReport;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FleetSummariesTest {
  private static final int LARGEST = 4_096;

  @Test
  void aGpuNodeIsCountedByWhatItSays() {
    assertThat(
            FleetSummaries.report(
                ApiJson.read(
                        """
                        {"status": {
                          "gpuCount": 3,
                          "gpus": [
                            {"pciAddress": "0000:07:00.0", "health": {"level": "NeedsReset", "evidence": ["Xid 95"]}},
                            {"pciAddress": "0000:08:00.0", "health": {"level": "Healthy"},
                             "instances": [{"uuid": "MIG-1", "profile": "1g.10gb"}]},
                            {"pciAddress": "0000:09:00.0"}],
                          "driver": {"version": "580.1"},
                          "sharing": {"strategy": "None"},
                          "conditions": [
                            {"type": "DevicesAdvertised", "status": "True", "reason": "DevicesAdvertised", "message": "", "lastTransitionTime": "2026-11-26T00:00:00Z"},
                            {"type": "Ready", "status": "False", "reason": "GpuUnhealthy", "message": "m", "lastTransitionTime": "2026-11-26T00:00:00Z"}]}}
                        """,
                        GpuNode.class)
                    .status()))
        .isEqualTo(
            new NodeReport(
                false,
                "GpuUnhealthy",
                3,
                List.of("NeedsReset", "Healthy", ""),
                false,
                true,
                "580.1"));
  }

  @Test
  void oneWithoutAReport_isNotReadyYet() {
    assertThat(FleetSummaries.report(ApiJson.read("{}", GpuNode.class).status()))
        .isEqualTo(new NodeReport(false, "NotReportedYet", 0, List.of(), true, true, ""));
  }

  /// A GPUNode may have 1,024 characters of reason.
  @Test
  void whateverNodesSay_theSummaryIsSmall() {
    var nodes =
        IntStream.range(0, 5_000)
            .mapToObj(i ->
                FleetSummaries.report(
                    ApiJson.read(
                            """
                            {"status": {"gpuCount": 8, "driver": {"version": "%d-%s"}, "conditions":
                              [{"type": "Ready", "status": "False", "reason": "R%d%s", "message": "m", "lastTransitionTime": "2026-11-26T00:00:00Z"}]}}
                            """
                                .formatted(i, "9".repeat(500), i, "x".repeat(1_000)),
                            GpuNode.class)
                        .status()))
            .toList();

    var summary = FleetSummaries.of(nodes);

    assertThat(summary.nodes().total()).isEqualTo(5_000);
    assertThat(summary.nodes().byReason()).hasSize(11);
    assertThat(summary.nodes().byReason().getLast())
        .isEqualTo(new ReasonCount("Other", 4_990, Map.of()));
    assertThat(summary.drivers()).hasSize(11);
    assertThat(summary.gpus().total()).isEqualTo(40_000);
    assertThat(ApiJson.write(summary)).hasSizeLessThan(LARGEST);
  }
}
