package dev.pitcrew.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.runtime.RuntimeState.Phase;
import dev.pitcrew.agent.runtime.plan.RuntimePlan;
import dev.pitcrew.agent.runtime.plan.WantedRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Setting a runtime up and undoing that, on a host that is a folder.
class RuntimeSetupTest {
  static final WantedRuntime WANTED = new WantedRuntime(List.of("nvidia"), true, true);

  @TempDir Path folder;

  @Test
  void undo_restartsTheRuntimeOnce_andRestoresTheFiles() throws Exception {
    PretendHost host = PretendHost.in(folder);
    host.set(PretendHost.MAIN, "rw-r-----");
    Map<String, String> before = host.etc();
    RuntimeState first = host.setup().apply(WANTED);
    assertThat(first.phase()).as(first.message()).isEqualTo(Phase.READY);
    assertThat(first.handlers()).containsExactly("nvidia");
    assertThat(first.version()).isEqualTo("containerd github.com/containerd/containerd/v2 v2.1.4");
    assertThat(host.starts()).isOne();
    assertThat(Files.getPosixFilePermissions(folder.resolve("etc/containerd/config.toml")))
        .hasSize(3);
    assertThat(host.setup().apply(WANTED).phase()).isEqualTo(Phase.READY);
    assertThat(host.starts()).as("nothing has changed").isOne();
    assertThat(host.setup().plan(WANTED)).isInstanceOf(RuntimePlan.Nothing.class);

    assertThat(host.setup().undo().phase()).isEqualTo(Phase.UNDONE);
    assertThat(host.etc()).isEqualTo(before);
    assertThat(host.starts()).isEqualTo(2);
    assertThat(host.setup().undo().phase()).isEqualTo(Phase.UNDONE);
    assertThat(host.starts()).isEqualTo(2);
    assertThat(host.read("/var/lib/pitcrew/runtime/receipt.json")).isEmpty();
  }

  @Test
  void setupAtAnotherPlace_isUndoneFirst() throws Exception {
    PretendHost host = PretendHost.in(folder);
    Map<String, String> before = host.etc();
    assertThat(host.setup().apply(WANTED).phase()).isEqualTo(Phase.READY);
    RuntimeState moved = host.setup(PretendHost.ELSEWHERE).apply(WANTED);
    assertThat(moved.phase()).as(moved.message()).isEqualTo(Phase.READY);
    assertThat(host.read(PretendHost.OURS)).isEmpty();
    assertThat(host.read(PretendHost.MAIN).orElseThrow()).contains("/etc/containerd/other.d/");
    assertThat(host.starts()).isEqualTo(3);
    assertThat(host.setup(PretendHost.ELSEWHERE).apply(WANTED).phase()).isEqualTo(Phase.READY);
    assertThat(host.starts()).as("nothing has changed").isEqualTo(3);
    RuntimeState undone = host.setup().undo();
    assertThat(undone.phase()).as("any process may undo it").isEqualTo(Phase.UNDONE);
    assertThat(host.etc()).isEqualTo(before);
  }

  @Test
  void configurationThatTheRuntimeRefuses_isNotWritten() throws Exception {
    PretendHost host = PretendHost.in(folder);
    host.write(PretendHost.MAIN, PretendHost.TEXT + "[plugins.x]\n");
    host.write(
        "/bin/containerd",
        host.read("/bin/containerd")
            .orElseThrow()
            .replace("grep -q poison \"$main\"", "grep -q candidate \"$main\""));
    Map<String, String> before = host.etc();
    RuntimeState state = host.setup().apply(WANTED);
    assertThat(state.phase()).isEqualTo(Phase.REFUSED);
    assertThat(state.message()).contains("no poison", "nothing is changed");
    assertThat(host.etc()).isEqualTo(before);
    assertThat(host.starts()).isZero();
    assertThat(folder.resolve("var/lib/pitcrew/runtime/candidate")).isEmptyDirectory();
    assertThat(host.setup().apply(WANTED).message()).isEqualTo(state.message());
  }

  @Test
  void aSettingThatWouldGetLostIsNamedAndItsValueIsNot() throws Exception {
    PretendHost host = PretendHost.in(folder);
    host.write(
        PretendHost.MAIN,
        PretendHost.TEXT + "[plugins.x.configs.'registry.example'.auth]\npassword = 'S3cr3t'\n");
    host.write(
        "/bin/containerd",
        host.read("/bin/containerd")
            .orElseThrow()
            .replace(
                "grep -v '^imports' \"$main\"",
                "case \"$main\" in *candidate*) grep -v 'imports\\|auth\\|password' \"$main\";; *) grep -v '^imports' \"$main\";; esac"));
    RuntimeState state = host.setup().apply(WANTED);
    assertThat(state.phase()).isEqualTo(Phase.REFUSED);
    assertThat(state.message())
        .contains("settings would get lost: plugins x configs registry.example auth password")
        .doesNotContain("S3cr3t");
    assertThat(host.read("/var/lib/pitcrew/runtime/receipt.json").orElse(""))
        .doesNotContain("password was");
  }

  @Test
  void aRuntimeThatDoesNotComeBackHasItsFormerFilesAndIsNotTriedAgain() throws Exception {
    PretendHost host = PretendHost.in(folder);
    host.write(PretendHost.MAIN, PretendHost.TEXT + "# dies with new handlers\n");
    Map<String, String> before = host.etc();
    RuntimeState state = host.setup().apply(WANTED);
    assertThat(state.phase()).isEqualTo(Phase.REFUSED);
    assertThat(state.message()).contains("did not come back", "no answer", "former files are back");
    assertThat(host.etc()).isEqualTo(before);
    assertThat(host.starts()).isEqualTo(2);
    assertThat(host.setup().apply(WANTED).phase()).isEqualTo(Phase.REFUSED);
    assertThat(host.starts()).as("no restart without end").isEqualTo(2);
    host.write(PretendHost.MAIN, PretendHost.TEXT);
    assertThat(host.setup().apply(WANTED).phase()).isEqualTo(Phase.READY);
  }

  @Test
  void aLinkStaysALink() throws Exception {
    PretendHost host = PretendHost.in(folder);
    Path main = folder.resolve("etc/containerd/config.toml");
    Files.createDirectories(folder.resolve("data"));
    Files.move(main, folder.resolve("data/real.toml"));
    Files.createSymbolicLink(main, Path.of("/data/real.toml"));
    // The program of this host knows nothing of roots.
    host.write(
        "/bin/containerd",
        host.read("/bin/containerd")
            .orElseThrow()
            .replace("main=$root/etc/containerd/config.toml", "main=$root/data/real.toml")
            .replace(
                "main=$root$2", "main=$root$2; [ -L \"$main\" ] && main=$root/data/real.toml"));
    RuntimeState state = host.setup().apply(WANTED);
    assertThat(state.message()).contains("handlers nvidia");
    assertThat(main).isSymbolicLink();
    assertThat(host.read("/data/real.toml").orElseThrow()).contains("imports");
    host.setup().undo();
    assertThat(main).isSymbolicLink();
    assertThat(host.read("/data/real.toml")).contains(PretendHost.TEXT);
  }

  @Test
  void aFileThatIsNoTextIsLeftAlone() throws IOException, InterruptedException {
    PretendHost host = PretendHost.in(folder);
    Files.write(folder.resolve("etc/containerd/config.toml"), new byte[] {(byte) 0xff, 0});
    assertThat(host.setup().apply(WANTED).phase()).isEqualTo(Phase.NOT_WRITTEN);
    assertThat(host.starts()).isZero();
  }

  @Test
  void fileWithASecretOfTheRuntime_isReadableByItsOwnerOnly() throws Exception {
    PretendHost host = PretendHost.inWithOlderContainerd(folder);
    RuntimeState state = host.setup().apply(WANTED);
    assertThat(state.phase()).as(state.message()).isEqualTo(Phase.READY);
    assertThat(host.read(PretendHost.OURS).orElseThrow()).contains("the-password");
    assertThat(mode(PretendHost.OURS)).isEqualTo("rw-------");
    assertThat(mode(PretendHost.MAIN)).isEqualTo("rw-------");
    // Where the agent is killed while containerd reads them, they stay as they are.
    assertThat(host.read("/run/modes").orElseThrow().lines())
        .containsOnly("600 config.toml", "600 99-pitcrew.toml");
  }

  @Test
  void ownFileThatIsWorldReadable_isRestrictedWithoutARestart() throws Exception {
    PretendHost host = PretendHost.inWithOlderContainerd(folder);
    host.setup().apply(WANTED);
    host.set(PretendHost.OURS, "rw-r--r--");
    assertThat(host.setup().apply(WANTED).phase()).isEqualTo(Phase.READY);
    assertThat(mode(PretendHost.OURS)).isEqualTo("rw-------");
    assertThat(host.starts()).isOne();
  }

  private String mode(String path) throws IOException {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(folder.resolve(path.substring(1))));
  }
}
