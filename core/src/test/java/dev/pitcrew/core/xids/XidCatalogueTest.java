package dev.pitcrew.core.xids;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The data beside the rule that its head states, and beside the table that users read.
class XidCatalogueTest {
  private static final Path PAGE = Path.of("../docs/unhealthy-gpu.md");

  private static final Map<String, String> OF_ACTION =
      Map.of(
          "RESET_GPU", "NeedsReset",
          "WORKFLOW_XID_48", "NeedsReset",
          "WORKFLOW_NVLINK_ERR", "NeedsReset",
          "RESTART_BM", "NeedsReboot",
          "RESTART_VM", "NeedsReboot");

  @Test
  void theLevelFollowsTheAction() {
    assertThat(XidCatalogue.entries())
        .hasSizeGreaterThan(100)
        .allSatisfy(entry ->
            assertThat(entry.level())
                .as(entry.toString())
                .isEqualTo(OF_ACTION.getOrDefault(entry.action(), "Degraded")));
  }

  @Test
  void unknownXid_isDegradedWithItsNumber() {
    assertThat(XidCatalogue.level(9999)).isEqualTo("Degraded");
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
    String ignored =
        XidCatalogue.IGNORED_BY_DEFAULT.contains(entry.number()) ? "ignored" : entry.level();
    return "| %d | %s | %s | %s | %s |"
        .formatted(entry.number(), entry.mnemonic(), entry.action(), ignored, entry.meaning());
  }
}
