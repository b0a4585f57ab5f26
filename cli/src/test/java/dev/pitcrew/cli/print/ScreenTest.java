package dev.pitcrew.cli.print;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.plan.NodeRow;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What reaches the terminal.
class ScreenTest {
  private static final int NARROW = 60;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "plain             | plain",
        "a\u001b[31mred    | a\\u001b[31mred",
        "a\u009b31m        | a\\u009b31m",
        "a\u202eb          | a\\u202eb",
        "a\u0007b          | a\\u0007b",
        "Z\u00fcrich       | Z\u00fcrich",
      })
  void controlCharactersAreShownAsTheirCodes(String text, String expected) {
    assertThat(Printable.of(text)).isEqualTo(expected);
    assertThat(Documents.json(Map.of("text", text)).chars())
        .allMatch(it -> it == '\n' || (it >= ' ' && it < 0x7f));
  }

  @Test
  void lineBreaksInMessagesBecomeSpaces() {
    assertThat(Printable.of("a\r\nb\tc")).isEqualTo("a  b c");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nodesFitANarrowTerminal(boolean wide) {
    List<NodeRow> rows =
        NodeRow.of(
            List.of(
                Objects.gpuNode("gpu-with-a-rather-long-name-in-a-cloud.internal 8"),
                Objects.gpuNode("b 8 NotReady=FabricManagerNotRunning Bad=NeedsReboot")),
            Optional.empty(),
            Optional.empty());

    NodesPrint.print(screen(new Terminal(false, NARROW, true)), rows, wide, Instant.EPOCH);

    assertThat(bytes.toString(UTF_8).lines())
        .hasSize(3)
        .allMatch(line -> line.length() <= NARROW)
        .first()
        .asString()
        .contains("NAME", "GPUS", "READY");
  }

  @Test
  void paragraphsAreWrappedAndNothingIsLost() {
    String word = "x".repeat(100);

    screen(new Terminal(false, NARROW, true)).paragraph("Head  ", Style.BAD, "short " + word);

    assertThat(bytes.toString(UTF_8).lines()).allMatch(line -> line.length() <= NARROW);
    assertThat(bytes.toString(UTF_8).chars().filter(it -> it == 'x')).hasSize(word.length());
  }

  @ParameterizedTest
  @CsvSource({
    "'',xterm,false,true",
    "1,xterm,false,false",
    "'',dumb,false,false",
    "'',xterm,true,false"
  })
  void colourIsForTerminalsThatWantIt(
      String noColour, String term, boolean flag, boolean expected) {
    System.setProperty(Terminal.IS_TERMINAL, "true");
    try {
      assertThat(Terminal.of(Map.of("NO_COLOR", noColour, "TERM", term), UTF_8, flag).colour())
          .isEqualTo(expected);
    } finally {
      System.clearProperty(Terminal.IS_TERMINAL);
    }
    assertThat(Terminal.of(Map.of("TERM", term), UTF_8, false).colour()).isFalse();
  }

  private Screen screen(Terminal terminal) {
    return new Screen(new PrintStream(bytes, true, UTF_8), terminal);
  }
}
