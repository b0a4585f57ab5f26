package dev.pitcrew.agent.runtime;

import static dev.pitcrew.agent.runtime.RuntimeSetupTest.WANTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.runtime.RuntimeDaemon.RestartFailure;
import dev.pitcrew.agent.runtime.RuntimeState.Phase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is made of a restart that fails.
class RestartFailureTest {
  private PretendHost host;
  private Map<String, String> before;

  @BeforeEach
  void prepare(@TempDir Path folder) {
    host = PretendHost.in(folder);
    before = host.etc();
  }

  /// As [HostDaemon] says it while a package manager updates containerd.
  private record Absent() implements RuntimeDaemon {
    @Override
    public Optional<RestartFailure> restart() {
      return Optional.of(
          new RestartFailure(
              RestartFailure.Kind.NOT_RESTARTED,
              "no process containerd listens at /run/containerd/containerd.sock"));
    }

    @Override
    public Optional<RestartFailure> missing(List<String> handlers, Duration limit) {
      return Optional.of(new RestartFailure(RestartFailure.Kind.NO_ANSWER, "no answer"));
    }
  }

  /// Answers so long after a start, whatever its files say.
  private record Slow(PretendHost.Daemon daemon, Duration with, Duration without)
      implements RuntimeDaemon {
    @Override
    public Optional<RestartFailure> restart() {
      return daemon.restart();
    }

    @Override
    public Optional<RestartFailure> missing(List<String> handlers, Duration limit) {
      Duration needed = handlers.isEmpty() ? without : with;
      return limit.compareTo(needed) < 0
          ? Optional.of(new RestartFailure(RestartFailure.Kind.NO_ANSWER, "no answer"))
          : daemon.missing(handlers, limit);
    }
  }

  /// Another program changes the runtime's file during its first restart, which it does not
  /// survive.
  private record Edited(PretendHost host, String text) implements RuntimeDaemon {
    @Override
    public Optional<RestartFailure> restart() {
      host.write(PretendHost.MAIN, text);
      return Optional.of(new RestartFailure(RestartFailure.Kind.NO_ANSWER, "exit code 1"));
    }

    @Override
    public Optional<RestartFailure> missing(List<String> handlers, Duration limit) {
      return Optional.of(new RestartFailure(RestartFailure.Kind.NO_ANSWER, "no answer"));
    }
  }

  @Test
  void aRuntimeThatCouldNotBeRestartedIsTriedAgain() throws Exception {
    RuntimeState state = host.setup(new Absent()).apply(WANTED);
    assertThat(state.phase()).as(state.message()).isEqualTo(Phase.NOT_BACK);
    assertThat(state.message())
        .contains("no process containerd listens", "its former files are back");
    assertThat(host.etc()).isEqualTo(before);

    assertThat(host.setup().apply(WANTED).phase()).isEqualTo(Phase.READY);
  }

  @Test
  void aSlowNodeIsTriedAgain() throws Exception {
    var slow =
        new Slow(new PretendHost.Daemon(host), Duration.ofSeconds(61), Duration.ofSeconds(50));
    assertThat(host.setup(slow).apply(WANTED).phase()).isEqualTo(Phase.NOT_BACK);
    assertThat(host.etc()).isEqualTo(before);

    assertThat(host.setup().apply(WANTED).phase()).isEqualTo(Phase.READY);
  }

  @Test
  void aRuntimeThatComesBackOnlyWithoutOursIsNotTriedAgain() throws Exception {
    var picky =
        new Slow(new PretendHost.Daemon(host), Duration.ofSeconds(61), Duration.ofSeconds(2));
    assertThat(host.setup(picky).apply(WANTED).phase()).isEqualTo(Phase.REFUSED);

    assertThat(host.setup().apply(WANTED).phase()).isEqualTo(Phase.REFUSED);
    assertThat(host.starts()).isEqualTo(2);
  }

  @Test
  void whereTheFormerFilesCannotBePutBackTheyAreKeptAndThatIsSaid() throws Exception {
    RuntimeState state = host.setup(new Edited(host, "version = [\n")).apply(WANTED);
    assertThat(state.phase()).isEqualTo(Phase.NOT_BACK);
    assertThat(state.message())
        .contains(
            "exit code 1",
            "its former files could not be put back: /etc/containerd/config.toml:2:1: ")
        .doesNotContain("former files are back");
    assertThat(host.read("/var/lib/pitcrew/runtime/receipt.json").orElseThrow())
        .contains("by an administrator");

    host.write(PretendHost.MAIN, PretendHost.TEXT);
    assertThat(host.setup().apply(WANTED).phase()).isEqualTo(Phase.READY);
    assertThat(host.setup().undo().phase()).isEqualTo(Phase.UNDONE);
    assertThat(host.etc()).isEqualTo(before);
  }

  /// `containerd config dump` is killed on a node without memory.
  @Test
  void aCheckThatDidNotEndIsMadeAgain() throws Exception {
    String program = host.read("/bin/containerd").orElseThrow();
    host.write(
        "/bin/containerd",
        program.replace(
            "grep -q poison", "case $2 in *candidate*) kill -9 $$;; esac\ngrep -q poison"));
    RuntimeState state = host.setup().apply(WANTED);
    assertThat(state.phase()).as(state.message()).isEqualTo(Phase.REFUSED);
    assertThat(host.starts()).isZero();

    host.write("/bin/containerd", program);
    assertThat(host.setup().apply(WANTED).phase()).isEqualTo(Phase.READY);
  }
}
