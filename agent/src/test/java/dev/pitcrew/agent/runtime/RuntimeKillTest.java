package dev.pitcrew.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.realnode.KillAgent;
import dev.pitcrew.agent.realnode.KillCheck;
import dev.pitcrew.agent.runtime.RuntimeState.Phase;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A process that sets the runtime up, or undoes that, is killed after each effect; the next one
/// finishes.
class RuntimeKillTest {
  private static final String CLASSES = "dev.pitcrew.agent.";

  @TempDir Path folder;

  /// What runs in the process that is killed.
  static final class Doomed {
    private Doomed() {}

    public static void main(String[] arguments) throws InterruptedException {
      var host = new PretendHost(Path.of(arguments[1]));
      switch (arguments[0]) {
        case "apply" -> host.setup().apply(RuntimeSetupTest.WANTED);
        case "move" -> host.setup(PretendHost.ELSEWHERE).apply(RuntimeSetupTest.WANTED);
        default -> host.setup().undo();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "host.HostShell#run, apply",
    "runtime.RuntimeCheck#put, apply",
    "runtime.RuntimeCheck#objection, apply",
    "runtime.ReceiptFile#keep, apply",
    "state.WholeFile#write@receipt, apply",
    "state.WholeFile#write@conf.d/.99-pitcrew, apply",
    "state.WholeFile#write@etc/containerd/.config, apply",
    "runtime.HostFiles#carryOut@path=/etc/containerd/conf.d, apply",
    "runtime.HostFiles#carryOut@path=/etc/containerd/config, apply",
    "runtime.PretendHost$Daemon#restart, apply",
    "runtime.RuntimeSetup#settle, apply",
    "runtime.RuntimeSetup#restarted, undo",
    "runtime.ReceiptFile#keep, undo",
    "runtime.HostFiles#carryOut@path=/etc/containerd/conf.d, undo",
    "runtime.HostFiles#carryOut@path=/etc/containerd/config, undo",
    "runtime.PretendHost$Daemon#restart, undo",
    "runtime.ReceiptFile#forget, undo",
    "runtime.HostFiles#carryOut@path=/etc/containerd/conf.d, move",
    "runtime.HostFiles#carryOut@path=/etc/containerd/config, move",
    "runtime.PretendHost$Daemon#restart, move",
    "runtime.ReceiptFile#forget, move",
    "runtime.ReceiptFile#keep@path=/etc/containerd/other.d, move",
    "runtime.HostFiles#carryOut@path=/etc/containerd/other.d, move"
  })
  void killedProcess_isFinishedByTheNext(String place, String what) throws Exception {
    PretendHost host = PretendHost.in(Files.createDirectory(folder.resolve("host")));
    Map<String, String> before = host.etc();
    if (!what.equals("apply")) {
      assertThat(host.setup().apply(RuntimeSetupTest.WANTED).phase()).isEqualTo(Phase.READY);
    }
    String last = kill(CLASSES + place, what, host);
    assertThat(last).contains(KillCheck.LAST_WORDS + CLASSES + place);
    assertTheProgramStarts(host);

    if (!what.equals("undo")) {
      String dropIn = what.equals("move") ? PretendHost.ELSEWHERE : PretendHost.OURS;
      RuntimeState state = host.setup(dropIn).apply(RuntimeSetupTest.WANTED);
      assertThat(host.read(PretendHost.OURS).isPresent()).isEqualTo(what.equals("apply"));
      assertThat(state.phase()).as(state.message()).isEqualTo(Phase.READY);
      assertThat(
              new PretendHost.Daemon(host)
                  .missing(RuntimeSetupTest.WANTED.handlers(), Duration.ZERO))
          .isEmpty();
    }
    assertThat(host.setup().undo().phase()).isEqualTo(Phase.UNDONE);
    assertThat(host.etc()).isEqualTo(before);
    assertThat(host.read("/run/loaded").orElse("")).doesNotContain("nvidia");
  }

  /// Another program may restart the runtime at that moment.
  private static void assertTheProgramStarts(PretendHost host) throws Exception {
    Process program =
        new ProcessBuilder(host.folder().resolve("bin/containerd").toString(), "config", "dump")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(program.waitFor()).isZero();
  }

  private String kill(String place, String what, PretendHost host) throws Exception {
    Path killer = KillAgent.jarIn(folder);
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-javaagent:" + killer + "=" + place,
                "-cp",
                System.getProperty("java.class.path").replace(File.pathSeparator, ":"),
                Doomed.class.getName(),
                what,
                host.folder().toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }
}
