package dev.pitcrew.testbed.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.TestbedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkDirectoryTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final List<String> SLEEPER =
      List.of("/bin/sh", "-c", "echo $$ > child.pid; exec sleep 600");

  @TempDir private Path folder;

  @Test
  void closingKillsWhatRunsAndRemovesTheFolder() throws IOException {
    var directory = WorkDirectory.temporary();
    var child = childOf(directory, directory.start("sleeper", SLEEPER));

    directory.close();

    assertThat(directory.path()).doesNotExist();
    assertThat(child.isAlive()).isFalse();
  }

  @Test
  void aStoppedProcessLeavesTheFolder() throws IOException {
    try (var directory = WorkDirectory.temporary()) {
      var process = directory.start("sleeper", SLEEPER);
      var child = childOf(directory, process);

      process.stop();

      assertThat(child.isAlive()).isFalse();
      assertThat(process.isAlive()).isFalse();
      assertThat(directory.path()).exists();
    }
  }

  @Test
  void filesThatAProcessLeavesElsewhere_areRemovedAfterItsEnd() throws IOException {
    var left = Files.createDirectory(folder.resolve("left elsewhere"));
    var after = "rmdir '%s' && echo \"after in $1\"".formatted(left);
    try (var directory = WorkDirectory.temporary()) {
      var process = directory.start("leaving", after, SLEEPER);
      var child = childOf(directory, process);
      assertThat(left).exists();

      process.stop();

      assertThat(child.isAlive()).isFalse();
      assertThat(left).doesNotExist();
      assertThat(process.logTail()).endsWith("after in " + directory.path());
    }
  }

  @Test
  void aProcessThatEndsIsNoticedWithItsLastOutput() {
    try (var directory = WorkDirectory.temporary()) {
      var process = directory.start("broken", List.of("/bin/sh", "-c", "echo no disk; exit 3"));

      assertThatThrownBy(() -> Deadline.in(SOON).await(process, () -> false))
          .isInstanceOf(TestbedException.class)
          .hasMessage("broken ended before it was ready; its log ends with:\nno disk");
    }
  }

  @Test
  void aProcessThatIsNotReadyInTimeIsNamed() {
    try (var directory = WorkDirectory.temporary()) {
      var process = directory.start("slow", SLEEPER);

      assertThatThrownBy(() -> Deadline.in(Duration.ofMillis(50)).await(process, () -> false))
          .isInstanceOf(TestbedException.class)
          .hasMessageStartingWith("slow was not ready within 0 s");
    }
  }

  @Test
  void takenPort_isDistinguished() {
    try (var directory = WorkDirectory.temporary()) {
      var command = List.of("/bin/sh", "-c", "echo listen: bind: address already in use; exit 1");
      var process = directory.start("late", command);

      assertThatThrownBy(() -> Deadline.in(SOON).await(process, () -> false))
          .isInstanceOf(Deadline.PortTaken.class);
    }
  }

  @Test
  void aNewProcessDoesNotAnswerForTheWordsOfAnOldOne() {
    try (var directory = WorkDirectory.temporary()) {
      var first = directory.start("same", List.of("/bin/echo", "address already in use"));
      assertThatThrownBy(() -> Deadline.in(SOON).await(first, () -> false))
          .isInstanceOf(Deadline.PortTaken.class);

      var second = directory.start("same", List.of("/bin/false"));

      assertThatThrownBy(() -> Deadline.in(SOON).await(second, () -> false))
          .isInstanceOf(TestbedException.class);
    }
  }

  @Test
  void aFolderThatAnotherTestBedUsesIsRefused() {
    var path = folder.resolve("mine");
    try (var _ = WorkDirectory.at(path)) {
      assertThatThrownBy(() -> WorkDirectory.at(path))
          .isInstanceOf(TestbedException.class)
          .hasMessageContaining("another test bed runs in it");
    }
    assertThat(path).doesNotExist();
  }

  @Test
  void directoryOfADeadOwner_isReplaced() throws IOException {
    var path = Files.createDirectory(folder.resolve("left"));
    Files.writeString(path.resolve(Owner.FILE), ProcessHandle.current().pid() + " 0");
    Files.writeString(path.resolve("kubeconfig"), "old");

    try (var directory = WorkDirectory.at(path)) {
      assertThat(directory.file("kubeconfig")).doesNotExist();
    }
  }

  @Test
  void theGuardTouchesNoFolderOfOthers() throws Exception {
    var script = folder.resolve("guard.sh");
    Files.writeString(script, WorkDirectory.resource("guard.sh"));
    var foreign = Files.createDirectory(folder.resolve("foreign"));

    var guard = new ProcessBuilder("/bin/sh", script.toString(), foreign.toString()).start();

    assertThat(guard.waitFor()).isEqualTo(64);
    assertThat(foreign).exists();
  }

  private static ProcessHandle childOf(WorkDirectory directory, GuardedProcess process)
      throws IOException {
    var file = directory.file("child.pid");
    Deadline.in(SOON).await(process, () -> Files.exists(file) && file.toFile().length() > 0);
    var pid = Long.parseLong(Files.readString(file).strip());
    return ProcessHandle.of(pid).orElseThrow();
  }
}
