package dev.pitcrew.agent.metrics.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.pitcrew.agent.metrics.CountersInForce;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CounterListTest {
  private static final FieldTable TABLE = FieldTable.load();

  @TempDir Path folder;

  @Test
  void commentsBlankLinesAndBlanksAroundColumnsAreNothing() {
    var list =
        parse(
            """
            # a comment, with commas, many

            DCGM_FI_DEV_GPU_TEMP ,  gauge, GPU temperature (in C).
            DCGM_FI_DEV_SM_CLOCK,gauge,"clock, ""fast\"""
            """);

    assertThat(list.problems()).isEmpty();
    assertThat(list.counters())
        .extracting(Counter::name, Counter::type, Counter::help)
        .containsExactly(
            tuple("DCGM_FI_DEV_SM_CLOCK", Counter.Type.GAUGE, "clock, \"fast\""),
            tuple("DCGM_FI_DEV_GPU_TEMP", Counter.Type.GAUGE, "GPU temperature (in C)."));
  }

  @Test
  void everySpellingOfAFieldIsKnownAndStays() {
    var list =
        parse(
            """
            dcgm_gpu_temp, gauge, old
            DCGM_FI_DEV_GPU_TEMP_CELSIUS, gauge, new
            DCGM_FI_DEV_CLOCK_THROTTLE_REASONS, gauge, alias
            DCGM_FI_DEV_NVLINK_BANDWIDTH_L17, counter, range
            DCGM_EXP_XID_ERRORS_COUNT, gauge, computed
            """);

    assertThat(list.problems()).isEmpty();
    assertThat(list.counters())
        .extracting(Counter::name)
        .containsExactly(
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
            "DCGM_FI_DEV_GPU_TEMP_CELSIUS",
            "dcgm_gpu_temp",
            "DCGM_FI_DEV_NVLINK_BANDWIDTH_L17",
            "DCGM_EXP_XID_ERRORS_COUNT");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DCGM_FI_DEV_GPU_TMP, gauge, x         | c.csv:2: 'DCGM_FI_DEV_GPU_TMP': no field of this name (is DCGM_FI_DEV_GPU_TEMP meant?); correct it, or remove the row
          NO_SUCH_FIELD_AT_ALL, gauge, x        | c.csv:2: 'NO_SUCH_FIELD_AT_ALL': no field of this name; correct it, or remove the row
          DCGM_FI_DEV_GPU_TEMP, gauge2, x       | c.csv:2: 'gauge2': no type of a metric; write one of gauge, counter, histogram, summary, label
          DCGM_FI_DEV_GPU_TEMP, Gauge, x        | c.csv:2: 'Gauge': no type of a metric; write one of gauge, counter, histogram, summary, label
          DCGM_FI_DEV_GPU_TEMP, gauge           | c.csv:2: 'DCGM_FI_DEV_GPU_TEMP, gauge': write exactly three columns: field, type, help; quote a help text with a comma in it
          DCGM_FI_DEV_GPU_TEMP, gauge, a, b     | c.csv:2: 'DCGM_FI_DEV_GPU_TEMP, gauge, a, b': write exactly three columns: field, type, help; quote a help text with a comma in it
          DCGM_FI_DEV_GPU_TEMP,gauge,"open      | c.csv:2: '"open': the quote is not closed; close it
          DCGM_FI_DEV_GPU_TEMP,gauge,an "inch"  | c.csv:2: 'an "inch"': a quote in a field that is not quoted; quote the whole field
          DCGM_FI_DEV_GPU_TEMP, gauge, "a, b"   | c.csv:2: ' "a, b"': a blank before the quote; begin the field with the quote
          DCGM_FI_DEV_GPU_TEMP,gauge,"a"b       | c.csv:2: '"a"b': text after the closing quote; double a quote that belongs to the field
          """)
  void aMistakeIsNamedWithItsLineAndWhatToDo(String row, String problem) {
    var list = parse("DCGM_FI_DEV_SM_CLOCK, gauge, well\n" + row);

    assertThat(list.isRight()).isFalse();
    assertThat(list.problems()).extracting(CounterProblem::text).containsExactly(problem);
  }

  @Test
  void aFileWithoutCountersIsAMistake() {
    assertThat(parse("# nothing\n").problems())
        .extracting(CounterProblem::text)
        .containsExactly(
            "c.csv: no counters; name at least one field, such as DCGM_FI_DEV_GPU_TEMP");
  }

  @Test
  void counterWithoutAnEffect_isReported_andNoError() {
    var list =
        parse(
            """
            DCGM_FI_DEV_GPU_TEMP, gauge, x
            DCGM_FI_DEV_GPU_TEMP, gauge, twice
            DCGM_FI_DEV_NVSWITCH_VOLTAGE_MVOLT, gauge, x
            DCGM_FI_DEV_SERIAL, gauge, x
            """);

    assertThat(list.isRight()).isTrue();
    assertThat(list.hints())
        .extracting(CounterProblem::text)
        .containsExactly(
            "c.csv:2: 'DCGM_FI_DEV_GPU_TEMP': named twice; the first row is in force",
            "c.csv:3: 'DCGM_FI_DEV_NVSWITCH_VOLTAGE_MVOLT': NVML does not report it, so there is no series; remove the row",
            "c.csv:4: 'DCGM_FI_DEV_SERIAL': a text has no series; give it the type label");
  }

  @Test
  void theCountersBeforeStayInForceUnderAWrongFile() throws IOException {
    Path file = Files.writeString(folder.resolve("c.csv"), "DCGM_FI_DEV_GPU_TEMP, gauge, x\n");
    var right = CountersInForce.defaults(TABLE).read(TABLE, file);
    assertThat(right.list().counters()).hasSize(1);

    Files.writeString(file, "DCGM_FI_DEV_GPU_TEMP, gage, x\n");
    var wrong = right.read(TABLE, file);
    assertThat(wrong.list()).isEqualTo(right.list());
    assertThat(wrong.problem())
        .hasValueSatisfying(it ->
            assertThat(it).contains(":1: 'gage'").endsWith("the counters before stay in force"));

    var missing = right.read(TABLE, folder.resolve("none.csv"));
    assertThat(missing.list()).isEqualTo(right.list());
    assertThat(missing.problem())
        .hasValueSatisfying(it -> assertThat(it).contains("there is no such file"));
  }

  private static CounterList parse(String text) {
    return CounterList.parse(TABLE, "c.csv", text);
  }
}
