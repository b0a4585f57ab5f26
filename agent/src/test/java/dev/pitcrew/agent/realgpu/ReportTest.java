package dev.pitcrew.agent.realgpu;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {
  @Test
  void report_identifiesNeitherBoardsNorTheHost() {
    var line = "GPU-12345678-1234-1234-1234-1234abcd0001 hostname=\"vm\" nvmlInit vm.local";

    assertThat(report(line).text())
        .contains("GPU-00000000-0000-0000-0000-000000000001 hostname=\"HOST\" nvmlInit HOST.local")
        .doesNotContain("1234abcd");
  }

  @Test
  void theSecondPartIsJson() throws IOException {
    var text = report("a line").text();

    var json = new JsonMapper().readTree(text.substring(text.indexOf(Report.MARK) + 12));
    assertThat(json.at("/one/facts/line").asText()).isEqualTo("a line");
    assertThat(json.at("/one/complete").asBoolean()).isTrue();
    assertThat(json.at("/two/failure").asText()).isEqualTo("why");
    assertThat(text).contains("Second: NOT COMPLETE\n--------------------\nwhy\n");
  }

  private static Report report(String line) {
    return new Report(
        List.of(
            new Section("one", "First", "", List.of(line), Map.of("line", line)),
            Section.failed("two", "Second", "why")),
        "vm");
  }
}
