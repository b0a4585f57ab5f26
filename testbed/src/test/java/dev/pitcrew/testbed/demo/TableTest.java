package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TableTest {
  private static final List<String> HEADER = List.of("NODE", "N", "WORDS");

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    var table =
        new Table(HEADER, List.of(List.of("a-long-name", "1", "x"), List.of("b", "100", "y")));

    assertThat(table.lines(110))
        .containsExactly("NODE         N    WORDS", "a-long-name  1    x", "b            100  y");
  }

  @Test
  void theLastColumnIsBrokenBelowItself() {
    var words = "one two three four five six seven";
    var table = new Table(HEADER, List.of(List.of("a", "1", words)));

    assertThat(table.lines(30))
        .containsExactly("NODE  N  WORDS", "a     1  one two three four", "         five six seven")
        .allMatch(line -> line.length() <= 30);
  }

  @Test
  void anEmptyLastCellLeavesNoSpacesBehind() {
    assertThat(new Table(HEADER, List.of(List.of("a", "1", ""))).lines(110))
        .containsExactly("NODE  N  WORDS", "a     1");
  }

  @Test
  void manyRowsAreCutOffWithAWordOnTheRest() {
    var rows = IntStream.range(0, 5).mapToObj(row -> List.of("n" + row, "1", "x"));

    assertThat(Table.of(HEADER, rows).firstRows(2).lines(110))
        .containsExactly(
            "NODE            N  WORDS",
            "n0              1  x",
            "n1              1  x",
            "... and 3 more");
  }

  @Test
  void aRowWithTooFewCellsIsRefused() {
    assertThatThrownBy(() -> new Table(HEADER, List.of(List.of("a"))))
        .hasMessage("[a] has 1 cells under 3 titles");
  }
}
