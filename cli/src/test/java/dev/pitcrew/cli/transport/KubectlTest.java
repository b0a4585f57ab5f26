package dev.pitcrew.cli.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How a program in the place of kubectl is read, whatever it does.
class KubectlTest {
  private static final String FIRST =
      "'{\"metadata\":{\"continue\":\"a b\"},\"items\":[{\"n\":1}]}'";
  private static final String ALL = "'{\"metadata\":{},\"items\":[{\"n\":1},{\"n\":2}]}'";
  private static final String LAST = "'{\"metadata\":{},\"items\":[{\"n\":2}]}'";

  @TempDir Path folder;

  @Test
  void pagesAreReadToTheLast() {
    assertThat(
            list(
                "case \"$*\" in *continue=a+b*) echo %s;; *) echo %s;; esac"
                    .formatted(LAST, FIRST)))
        .containsExactly(1L, 2L);
  }

  @Test
  void listWhosePagesHaveExpired_isReadAsAWhole() {
    assertThat(
            list(
                "case \"$*\" in *continue=*) echo 'Error from server (Expired): too old' >&2; exit 1;; *limit=0) echo %s;; *) echo %s;; esac"
                    .formatted(ALL, FIRST)))
        .containsExactly(1L, 2L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"echo '{\"items\":[{'", "echo '[]'", "echo", "echo '<html>'", "true"})
  void answerThatIsNoList_isAnError(String script) {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> list(script))
        .satisfies(it -> assertThat(it.kind()).isEqualTo(Refusal.Kind.FAILED));
  }

  /// More than a pipe holds, so that a reader that has gone is noticed.
  @Test
  void blanksAfterTheAnswer_areReadToo() {
    assertThat(list("echo %s; head -c 200000 /dev/zero | tr '\\0' ' '".formatted(ALL)))
        .containsExactly(1L, 2L);
  }

  @Test
  void programThatHangs_isEnded_withWhatItHasStarted() {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> list("sleep 60; echo late", Duration.ofMillis(200)))
        .satisfies(it -> assertThat(it.kind()).isEqualTo(Refusal.Kind.UNREACHABLE));
  }

  @Test
  void programThatAsks_getsNoAnswer() {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> list("read name || { echo 'error: EOF' >&2; exit 1; }"))
        .withMessageContaining("asks for a user name");
  }

  @Test
  void programThatIsNotThere_isNamed() {
    var kubectl = new Kubectl(folder.resolve("none").toString(), List.of(), Optional.empty());

    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> kubectl.get("/version"))
        .withMessageContaining("set KUBECTL");
  }

  @Test
  void flagsComeBeforeTheProgramThatRunsInAPod() {
    var kubectl =
        new Kubectl(program("echo \"$*\"").toString(), List.of("--context=c"), Optional.empty());

    assertThat(kubectl.exec("n", "p", "c", List.of("pitcrew", "validate"), 100).text())
        .isEqualTo("exec --context=c --namespace=n p -c c -- pitcrew validate\n");
  }

  @Test
  void outputOfAProgramThatFailsInAPodIsRead() {
    var kubectl =
        new Kubectl(
            program("echo driver FAILED; echo 'command terminated with exit code 1' >&2; exit 1")
                .toString(),
            List.of(),
            Optional.empty());

    assertThat(kubectl.exec("n", "p", "c", List.of("x"), 100).text()).isEqualTo("driver FAILED\n");
  }

  /// The begin of a line that is cut off could say that the rest of it is a secret.
  @ParameterizedTest
  @CsvSource({
    "10, 0, 'one\ntwo\n'",
    "8, 0, 'one\ntwo\n'",
    "7, 4, 'two\n'",
    "4, 4, 'two\n'",
    "3, 8, ''",
  })
  void longTextBeginsWithAWholeLine(int most, long leftOut, String text) {
    var kubectl =
        new Kubectl(program("echo one; echo two").toString(), List.of(), Optional.empty());

    assertThat(kubectl.text("/log", most)).isEqualTo(new Excerpt(text, leftOut));
  }

  @Test
  void veryLongTextIsReadToItsEnd() {
    var kubectl = new Kubectl(program("seq 1 200000").toString(), List.of(), Optional.empty());

    Excerpt end = kubectl.text("/log", 100);

    assertThat(end.text()).endsWith("\n199999\n200000\n").hasSizeBetween(90, 100);
    assertThat(end.leftOut() + end.text().length()).isEqualTo(1_288_895);
  }

  private List<Long> list(String script) {
    return list(script, Duration.ofSeconds(30));
  }

  private List<Long> list(String script, Duration limit) {
    var numbers = new ArrayList<Long>();
    new Kubectl(program(script).toString(), List.of(), Optional.of(limit))
        .list("/x", it -> numbers.add(it.at("n").number()), numbers::clear);
    return numbers;
  }

  private Path program(String script) {
    try {
      Path program = Files.writeString(folder.resolve("kubectl"), "#!/bin/sh\n" + script + "\n");
      return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
