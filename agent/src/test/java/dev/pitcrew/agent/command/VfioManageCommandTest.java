package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// On a node without GPUs; `VfioDevicesTest` has some.
class VfioManageCommandTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private Path root;
  private final StopSignal stop = new StopSignal();
  private final StringWriter output = new StringWriter();

  @Test
  void whatIsBoundStaysBoundUntilTheProgramIsToldToEnd() throws Exception {
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> status = background.submit(() -> run("bind", "--all", "--until-stopped"));
      await().atMost(LIMIT).until(() -> output.toString().contains("bind: []"));
      assertThat(status.isDone()).isFalse();

      stop.raise();

      assertThat(status.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isZero();
    }
    assertThat(output.toString().lines()).containsExactly("bind: []", "unbind: []");
  }

  @Test
  void whoCannotBindEndsAtOnce() {
    assertThat(run("bind", "--device-id=0000:0a:00.0", "--until-stopped")).isOne();
    assertThat(output.toString())
        .isEqualToIgnoringNewLines("bind of 0000:0a:00.0: there is no such PCI device");
  }

  private int run(String... arguments) {
    var surroundings = new Surroundings(new NvmlReader(), Map.of(), InstantSource.system(), stop);
    var words = new PrintWriter(output, true);
    return PitcrewCommand.create(surroundings)
        .setOut(words)
        .setErr(words)
        .execute(
            Stream.concat(
                    Stream.of("vfio-manage", "--root=" + root, "--host-root=" + root),
                    Stream.of(arguments))
                .toArray(String[]::new));
  }
}
