package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
    assertThat(hook.trouble()).isEmpty();
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
    assertThat(hook.trouble().orElseThrow())
        .contains(
            "/var/lib/pitcrew/bin: /var is mounted noexec; /run/pitcrew/bin: /run is mounted noexec",
            "mount one of them without noexec");
  }

  private void mounts(String text) throws IOException {
    Path file = host.folder().resolve("proc/1/mounts");
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private Path installed(String text) throws IOException {
    CdiHook hook = CdiHook.install(program(text), state, host);
    return Path.of(hook.path().orElseThrow(() -> new AssertionError(hook.trouble())));
  }

  private Path program(String text) throws IOException {
    Path program = Files.writeString(folder.resolve("hook"), "#!/bin/sh\n# " + text + "\n");
    return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
