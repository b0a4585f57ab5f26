package dev.pitcrew.cli.diag;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.transport.Kubectl;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is read, by a script in the place of kubectl, where nodes and agents do not answer.
class CollectorTest {
  private static final String LISTS =
      """
      */n/pods?limit*) cat %s/pods;;
      *) echo '{"metadata":{},"items":[]}';;
      esac
      """;

  /// More than are asked at the same time.
  private static final int CONTAINERS = 30;

  @TempDir Path folder;

  private record Collected(Map<String, String> files, List<String> problems) {}

  @Test
  void agentThatHangs_keepsNoLogFromBeingRead() throws Exception {
    Collected collected = collect("exec*) sleep 60;; */log[?]*) echo a line;;", "a");

    assertThat(collected.files()).containsEntry("nodes/a/logs/agent-a/main.log", "a line\n");
    assertThat(collected.problems())
        .hasSize(3)
        .contains("pitcrew validate in pod n/agent-a", "pitcrew runtime plan in pod n/agent-a");
  }

  /// But for the requests that were under way when the first one was given up.
  @Test
  void kubeletThatHangs_isNotAskedAgain() throws Exception {
    Collected collected =
        collect(
            "exec*) echo well;; */agent-a/log[?]*) echo a >>%s/calls; sleep 60;; */log[?]*) echo a line;;"
                .formatted(folder),
            "a",
            "b");

    assertThat(Files.readAllLines(folder.resolve("calls"))).hasSizeLessThan(CONTAINERS);
    assertThat(collected.problems())
        .hasSize(CONTAINERS + 1)
        .allMatch(it -> it.contains("pod n/agent-a"));
    assertThat(collected.files()).containsKey("nodes/b/logs/agent-b/main.log");
  }

  /// It would refuse the second of two commands.
  @Test
  void agentIsAskedOneCommandAtATime() throws Exception {
    Collected collected =
        collect(
            "exec*) mkdir %s/busy || echo BUSY; seq 1 20000 | tail -1; rmdir %1$s/busy;; */log[?]*) echo a line;;"
                .formatted(folder),
            "a");

    assertThat(collected.problems()).isEmpty();
    assertThat(collected.files())
        .containsEntry("nodes/a/agent/validate.txt", "20000\n")
        .containsEntry("nodes/a/agent/inventory.txt", "20000\n")
        .containsEntry("nodes/a/agent/runtime-plan.txt", "20000\n");
  }

  private Collected collect(String cases, String... nodes)
      throws IOException, InterruptedException {
    var pods = new StringBuilder();
    for (String node : nodes) {
      pods.append(pods.isEmpty() ? "" : ",").append(pod(node));
    }
    Files.writeString(folder.resolve("pods"), "{\"metadata\":{},\"items\":[%s]}".formatted(pods));
    Path program =
        Files.writeString(
            folder.resolve("kubectl"),
            "#!/bin/sh\ncase \"$*\" in\n" + cases + "\n" + LISTS.formatted(folder));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path target = folder.resolve("b.zip");
    try (var archive = new Archive(target, false)) {
      var bundle = new Bundle(archive, 1 << 20);
      new Collector(
              kubectl(program, Duration.ofSeconds(30)),
              kubectl(program, Duration.ofSeconds(2)),
              bundle,
              new Progress(
                  new PrintStream(PrintStream.nullOutputStream(), true, UTF_8),
                  InstantSource.system()),
              Optional.empty(),
              Instant.EPOCH)
          .collect(new Selection(Set.of(nodes), List.of()), "n", true);
      List<String> problems =
          bundle.contents().problems().stream().map(Bundle.Problem::what).toList();
      bundle.complete((_, _) -> "");
      return new Collected(unpacked(target), problems);
    }
  }

  /// One whose first container has been restarted.
  private static String pod(String node) {
    String others =
        IntStream.range(1, CONTAINERS)
            .mapToObj(",{\"name\":\"c%d\",\"state\":{\"running\":{\"a\":1}}}"::formatted)
            .collect(Collectors.joining());
    return """
    {"metadata":{"name":"agent-%1$s","namespace":"n","labels":{"app":"pitcrew-agent"}},
    "spec":{"nodeName":"%1$s","containers":[{"name":"main"}]},
    "status":{"phase":"Running","containerStatuses":[
    {"name":"main","state":{"running":{"a":1}},"lastState":{"terminated":{"a":1}}}%2$s]}}
    """
        .formatted(node, others);
  }

  private static Kubectl kubectl(Path program, Duration limit) {
    return new Kubectl(program.toString(), List.of(), Optional.of(limit));
  }

  private static Map<String, String> unpacked(Path file) throws IOException {
    var files = new TreeMap<String, String>();
    try (var zip = new ZipFile(file.toFile())) {
      for (ZipEntry entry : zip.stream().toList()) {
        files.put(entry.getName(), new String(zip.getInputStream(entry).readAllBytes(), UTF_8));
      }
    }
    return files;
  }
}
