package dev.pitcrew.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.transport.Kubectl;
import dev.pitcrew.core.Backoff;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How often a list is read again, with a program in the place of kubectl.
class ReflectorTest {
  private static final int ROUNDS = 5;

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "list, Error from server (InternalError): x, 1 2 4 5 5",
    "list, Error from server (Forbidden): x, 1 2 4 5 5",
    "watch, Error from server (InternalError): x, 1 2 4 5 5",
    "watch, Error from server (Forbidden): x, 5 5 5 5 5",
    "watch, '', 1 2 4 5 5",
  })
  void whatFails_isReadAgainLaterEachTime(String failing, String error, String pauses)
      throws IOException {
    String fail = error.isEmpty() ? "exit 0" : "echo '%s' >&2; exit 1".formatted(error);
    String list = "echo '{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}'";
    Path program =
        Files.writeString(
            folder.resolve("kubectl"),
            "#!/bin/sh\ncase \"$*\" in *watch=1*) %s;; *) %s;; esac\n"
                .formatted(fail, failing.equals("list") ? fail : list));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    var kubectl = new Kubectl(program.toString(), List.of(), Optional.empty());
    var slept = new ArrayList<Duration>();

    new Reflector<>(
            Listing.GPU_NODES,
            kubectl,
            Optional.of(kubectl),
            new Reflector.Pauses(
                new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(5)),
                Duration.ofMinutes(1),
                time -> sleep(slept, time)),
            () -> Instant.EPOCH,
            () -> {})
        .run();

    assertThat(slept)
        .isEqualTo(
            Arrays.stream(pauses.split(" ")).map(Long::valueOf).map(Duration::ofSeconds).toList());
  }

  private static void sleep(List<Duration> slept, Duration time) throws InterruptedException {
    slept.add(time);
    if (slept.size() == ROUNDS) {
      throw new InterruptedException();
    }
  }
}
