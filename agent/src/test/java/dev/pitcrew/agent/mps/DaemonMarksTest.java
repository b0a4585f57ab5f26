package dev.pitcrew.agent.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.KeepLock;
import dev.pitcrew.device.mps.MpsDaemon;
import dev.pitcrew.device.mps.MpsDaemon.LimitedGpu;
import dev.pitcrew.device.mps.MpsPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonMarksTest {
  private static final MpsDaemon DAEMON =
      new MpsDaemon(
          "nvidia.com/gpu",
          25,
          List.of(new LimitedGpu("0", "GPU-a", 4096), new LimitedGpu("1", "GPU-b", 4096)));
  private static final MpsPlan PLAN =
      new MpsPlan(List.of(DAEMON), Map.of("nvidia.com/other", "it takes 16 clients at most"));

  @TempDir Path root;

  @Test
  void eachDaemon_isReportedInOneLine() {
    assertThat(DaemonFile.text(PLAN))
        .isEqualTo("pitcrew-mps 1\nnvidia.com/gpu 25 0=GPU-a=4096 1=GPU-b=4096\nend\n");
  }

  @Test
  void aDaemonIsUpWhileItRunsWithJustTheseLimits() throws Exception {
    assertThat(down()).contains("its MPS control daemon has not started yet");

    mark(DaemonMarks.STARTED, "nvidia.com/gpu 50 0=GPU-a=4096");
    assertThat(down()).contains("its MPS control daemon is being restarted with other limits");

    mark(DaemonMarks.STARTED, DaemonFile.line(DAEMON));
    assertThat(new DaemonMarks(root).down(PLAN, true))
        .isEqualTo(Map.of("nvidia.com/other", "it takes 16 clients at most"));

    Files.delete(root.resolve("nvidia.com/gpu").resolve(DaemonMarks.STARTED));
    mark(DaemonMarks.TROUBLE, "it ended by signal 9\n");
    assertThat(down()).contains("its MPS control daemon does not run: it ended by signal 9");
  }

  @Test
  void marksWithoutALock_areIgnored() throws Exception {
    mark(DaemonMarks.STARTED, DaemonFile.line(DAEMON));

    assertThat(new DaemonMarks(root).down(PLAN, false))
        .containsOnlyKeys("nvidia.com/gpu", "nvidia.com/other")
        .hasEntrySatisfying(
            "nvidia.com/gpu",
            reason -> assertThat(reason).startsWith("no pod runs the MPS control daemons"));
  }

  @Test
  void endOfTheSupervisor_isNoticedAtOnce() throws Exception {
    var changes = new AtomicInteger();
    try (var watch = MarksWatch.over(new DaemonMarks(root), PLAN, changes::incrementAndGet)) {
      assertThat(watch.isWatchedOver()).isFalse();

      Process supervisor = KeepLock.start(root.resolve(DaemonMarks.LOCK));
      try {
        await().until(watch::isWatchedOver);
        int before = changes.get();
        supervisor.destroyForcibly().waitFor();

        await().until(() -> changes.get() > before);
        assertThat(watch.isWatchedOver()).isFalse();
      } finally {
        supervisor.destroyForcibly();
      }
    }
  }

  @Test
  void marksThatComeAreNoticedAtOnce() throws Exception {
    var changes = new AtomicInteger();
    try (var _ = MarksWatch.over(new DaemonMarks(root), PLAN, changes::incrementAndGet)) {
      mark(DaemonMarks.STARTED, DaemonFile.line(DAEMON));

      await().until(() -> changes.get() > 0);
    }
  }

  private String down() {
    return new DaemonMarks(root).down(PLAN, true).getOrDefault("nvidia.com/gpu", "");
  }

  private void mark(String name, String text) throws IOException {
    Path folder = Files.createDirectories(root.resolve("nvidia.com/gpu"));
    Files.writeString(folder.resolve(name), text);
  }
}
