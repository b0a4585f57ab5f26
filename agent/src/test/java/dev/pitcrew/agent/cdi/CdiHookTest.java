package dev.pitcrew.agent.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.ConfigParser;
import dev.pitcrew.agent.config.ConfigSources;
import dev.pitcrew.agent.config.ParsedConfig;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.process.TinyDisk;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CdiHookTest {
  private static final String OURS = "var/lib/pitcrew";

  @TempDir private Path folder;
  private HostRoot host;
  private Path state;

  @BeforeEach
  void prepare() throws IOException {
    host = new HostRoot(Files.createDirectories(folder.resolve("host")));
    state = Files.createDirectories(host.folder().resolve(OURS));
  }

  @Test
  void theProgramIsBroughtOnceAndAgainWhenItIsAnother() throws IOException {
    Path installed = installed("one");
    assertThat(installed).hasContent("#!/bin/sh\n# one\n").isExecutable();
    var first = Files.getLastModifiedTime(installed);

    installed("one");
    assertThat(Files.getLastModifiedTime(installed)).isEqualTo(first);

    installed("another");
    assertThat(installed).hasContent("#!/bin/sh\n# another\n").isExecutable();
    assertThat(installed.resolveSibling(".")).isDirectoryNotContaining("glob:**/.hook*");
  }

  @Test
  void aFileThatLostItsModeIsBroughtAgain() throws IOException {
    Path installed = installed("one");
    Files.setPosixFilePermissions(installed, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(installed("one")).isEqualTo(installed).isExecutable();
  }

  @Test
  void withoutAProgramThereIsNoneAndNothingToSay() throws IOException {
    CdiHook hook = CdiHook.install(folder.resolve("missing"), state, host);
    assertThat(hook.path()).isEmpty();
    assertThat(hook.problem()).isEmpty();
  }

  /// As on Container-Optimized OS (testbed, hosts/gke-cos.host).
  @Test
  void whereTheHostForbidsProgramsInVarTheyLieWhereItHasItsOwn() throws IOException {
    Files.createDirectories(host.folder().resolve("home/kubernetes/bin"));
    mounts(
        """
        /dev/root / ext2 ro,relatime 0 0
        /dev/sda1 /var ext4 rw,nosuid,nodev,noexec,relatime 0 0
        /dev/sda1 /home ext4 rw,nosuid,nodev,noexec,relatime 0 0
        /dev/sda1 /home/kubernetes/bin ext4 rw,nosuid,nodev,relatime 0 0
        """);
    CdiHook hook = CdiHook.install(program("one"), state, host);
    assertThat(hook.path()).contains("/home/kubernetes/bin/pitcrew/bin/hook");
    assertThat(host.place(hook.path().orElseThrow())).hasContent("#!/bin/sh\n# one\n");
    assertThat(state.resolve("bin")).doesNotExist();
  }

  @Test
  void aProgramThatDoesNotRunInOneFolderIsTriedInTheNext() throws IOException {
    Files.createDirectories(host.folder().resolve("opt"));
    Path program = program("one");
    Files.writeString(
        program, "#!/bin/sh\ncase $0 in */var/*) echo 'not from here' >&2; exit 126;; esac\n");
    CdiHook hook = CdiHook.install(program, state, host);
    assertThat(hook.path()).contains("/opt/pitcrew/bin/hook");
  }

  /// A mount that the host's table does not show, as of a name space of its own.
  @Test
  void theKernelHasTheLastWord() throws Exception {
    assumeTrue(TinyDisk.isPossible());
    Files.createDirectories(host.folder().resolve("run"));
    try (TinyDisk _ = TinyDisk.withoutPrograms(state)) {
      CdiHook hook = CdiHook.install(program("one"), state, host);
      assertThat(hook.path()).contains("/run/pitcrew/bin/hook");
    }
  }

  @Test
  void whereNoProgramRunsThatIsSaidWithEachFolderAndTheRemedy() throws IOException {
    Files.createDirectories(host.folder().resolve("run"));
    mounts(
        """
        /dev/sda1 /var ext4 rw,noexec 0 0
        tmpfs /run tmpfs rw,noexec 0 0
        """);
    CdiHook hook = CdiHook.install(program("one"), state, host);
    assertThat(hook.path()).isEmpty();
    assertThat(hook.problem().orElseThrow())
        .contains(
            "/var/lib/pitcrew/bin: /var is mounted noexec; /run/pitcrew/bin: /run is mounted noexec",
            "mount one of them without noexec");
  }

  @Test
  void aProgramThatGoesOrMayNoLongerRunDoesNotStand() throws IOException {
    CdiHook hook = CdiHook.install(program("one"), state, host);
    assertThat(hook.stands()).isTrue();
    Files.delete(Path.of(hook.path().orElseThrow()));
    assertThat(hook.stands()).isFalse();

    hook = CdiHook.install(program("one"), state, host);
    assertThat(hook.stands()).isTrue();
    mounts("/dev/sda1 %s ext4 rw,noexec 0 0\n".formatted(state));
    assertThat(hook.stands()).isFalse();
  }

  @Test
  void aConfiguredHookCountsOnlyWhereItRuns() throws IOException {
    String configured = "/usr/local/nvidia/toolkit/nvidia-cdi-hook";
    AgentConfig config = config(configured);
    CdiHook hook = CdiHook.install(program("one"), state, host);
    assertThat(hook.in(config).cdi().hookPath()).isEqualTo(hook.path().orElseThrow());
    assertThat(CdiHook.isNeeded(host, config)).isTrue();

    Path file = host.place(configured);
    Files.createDirectories(file.getParent());
    Files.copy(program("reference"), file, StandardCopyOption.COPY_ATTRIBUTES);
    assertThat(hook.in(config).cdi().hookPath()).isEqualTo(configured);
    assertThat(CdiHook.isNeeded(host, config)).isFalse();

    mounts("/dev/sda1 /usr/local ext4 rw,noexec 0 0\n");
    assertThat(hook.in(config).cdi().hookPath()).isEqualTo(hook.path().orElseThrow());
    mounts("");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(hook.in(config).cdi().hookPath()).isEqualTo(hook.path().orElseThrow());
    assertThat(CdiHook.isNeeded(host, config)).isTrue();
  }

  @Test
  void filesOfTheAgent_areRemoved_andNoOthers() throws IOException {
    Path program = program("one");
    Path cdi = Files.createDirectories(folder.resolve("cdi"));
    Path other = host.folder().resolve("opt/pitcrew/bin/other");
    Files.createDirectories(host.folder().resolve("home/kubernetes/bin"));
    Files.createDirectories(other.getParent());
    Files.writeString(other, "");
    Path inState = Path.of(CdiHook.install(program, state, host).path().orElseThrow());
    Files.writeString(inState.resolveSibling(".hook123"), "a draft of an agent that was killed");
    mounts("/dev/sda1 %s ext4 rw,noexec 0 0\n/dev/sda1 /var ext4 rw,noexec 0 0\n".formatted(state));
    String elsewhere = CdiHook.install(program, state, host).path().orElseThrow();
    Files.copy(program, other.resolveSibling("hook"));
    Files.writeString(
        cdi.resolve("k8s.device-plugin.nvidia.com-gpu.json"),
        "{\"path\":\"%s\"}".formatted(inState));
    Files.writeString(cdi.resolve("management.nvidia.com-gpu.yaml"), "path: " + elsewhere);
    Files.writeString(cdi.resolve("nvidia.yaml"), "path: /usr/bin/nvidia-cdi-hook");
    Files.writeString(state.resolve("health.json"), "{}");

    assertThat(CdiHook.removeAll(program, state, host, cdi)).isEmpty();
    assertThat(cdi).isDirectoryContaining("glob:**/nvidia.yaml");
    assertThat(cdi.toFile().list()).hasSize(1);
    assertThat(state.toFile().list()).containsExactly("health.json");
    assertThat(host.place(elsewhere)).doesNotExist();
    assertThat(host.folder().resolve("home/kubernetes/bin")).isEmptyDirectory();
    assertThat(host.folder().resolve("opt/pitcrew/bin").toFile().list()).containsExactly("other");
    assertThat(CdiHook.removeAll(program, state, host, cdi)).isEmpty();
  }

  private static AgentConfig config(String hook) {
    var flags =
        Map.of("device-list-strategy", List.of("cdi-cri"), "nvidia-cdi-hook-path", List.of(hook));
    return switch (ConfigParser.parse(Program.PLUGIN, new ConfigSources(flags, Map.of(), ""))) {
      case ParsedConfig.Accepted(var config, _) -> config;
      case ParsedConfig.Rejected(var problems) -> throw new AssertionError(problems);
    };
  }

  private void mounts(String text) throws IOException {
    Path file = host.folder().resolve("proc/1/mounts");
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private Path installed(String text) throws IOException {
    CdiHook hook = CdiHook.install(program(text), state, host);
    return Path.of(hook.path().orElseThrow(() -> new AssertionError(hook.problem())));
  }

  private Path program(String text) throws IOException {
    Path program = Files.writeString(folder.resolve("hook"), "#!/bin/sh\n# " + text + "\n");
    return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
