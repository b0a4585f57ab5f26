package dev.pitcrew.agent.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.HealthLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The data beside the rule that its head states, and beside the table that users read.
class XidCatalogueTest {
  private static final Path PAGE = Path.of("../docs/unhealthy-gpu.md");

  private static final Map<String, HealthLevel> OF_ACTION =
      Map.of(
          "RESET_GPU", HealthLevel.NEEDS_RESET,
          "WORKFLOW_XID_48", HealthLevel.NEEDS_RESET,
          "WORKFLOW_NVLINK_ERR", HealthLevel.NEEDS_RESET,
          "RESTART_BM", HealthLevel.NEEDS_REBOOT,
          "RESTART_VM", HealthLevel.NEEDS_REBOOT);

  @Test
  void theLevelFollowsTheAction() {
    assertThat(XidCatalogue.entries())
        .hasSizeGreaterThan(100)
        .allSatisfy(entry ->
            assertThat(entry.level())
                .as(entry.toString())
                .isEqualTo(OF_ACTION.getOrDefault(entry.action(), HealthLevel.DEGRADED)));
  }

  @Test
  void unknownXid_isDegradedWithItsNumber() {
    assertThat(XidCatalogue.level(9999)).isEqualTo(HealthLevel.DEGRADED);
    assertThat(XidCatalogue.text(9999)).isEqualTo("Xid 9999");
  }

  @Test
  void theTableOfThePageIsTheData() throws IOException {
    var rows =
        Files.readAllLines(PAGE).stream().filter(line -> line.matches("\\| \\d+ \\|.*")).toList();
    assertThat(rows)
        .containsExactlyElementsOf(
            XidCatalogue.entries().stream().map(XidCatalogueTest::row).toList());
  }

  private static String row(XidCatalogue.Entry entry) {
    String level = ApiJson.write(entry.level()).replace("\"", "");
    String ignored = XidPolicy.DEFAULT.isCritical(entry.number()) ? level : "ignored";
    return "| %d | %s | %s | %s | %s |"
        .formatted(entry.number(), entry.mnemonic(), entry.action(), ignored, entry.meaning());
  }
}
