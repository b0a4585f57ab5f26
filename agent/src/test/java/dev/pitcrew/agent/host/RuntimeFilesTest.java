package dev.pitcrew.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuntimeFilesTest {
  @TempDir private Path root;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "containerd | containerd,--config,/x/a.toml      | /x/a.toml",
        "containerd | /snap/bin/containerd,--config=/x/a.toml,--root,/r | /x/a.toml",
        "containerd | containerd,-c,/x/a.toml            | /x/a.toml",
        "containerd | containerd,--config                | -",
        "containerd | containerd,-c,relative.toml        | -",
        "crio       | /usr/bin/crio,--config,/x/a.conf   | /x/a.conf",
        "dockerd    | dockerd,--config-file,/x/d.json    | /x/d.json",
        "bash       | bash,-c,/x/a.toml                  | -",
      })
  void runningRuntime_revealsItsFile(String name, String words, String file) throws IOException {
    write("/proc/71/comm", name + "\n");
    write("/proc/71/cmdline", words.replace(',', '\0') + "\0");
    write("/proc/self/comm", "containerd");

    List<String> found = RunningRuntimes.configurations(host());

    assertThat(found).isEqualTo(file.equals("-") ? List.of() : List.of(file));
  }

  @Test
  void importsAreFollowedFromTheFileOfTheRunningOne() throws IOException {
    write("/proc/71/comm", "containerd\n");
    write("/proc/71/cmdline", "containerd\0--config\0/k/config.toml\0");
    write("/k/config.toml", "version = 3\nimports = ['more/*.toml', \"/elsewhere/one.toml\"]\n");
    write("/k/more/b.toml", "");
    write("/k/more/a.toml", "");
    write("/k/more/a.toml.bak", "");
    write("/elsewhere/one.toml", "");
    write("/elsewhere/two.toml", "");

    RuntimeFiles files = RuntimeFiles.of(host());

    assertThat(files.main()).containsExactly("/k/config.toml");
    assertThat(files.all())
        .containsExactly(
            "/k/config.toml", "/k/more/a.toml", "/k/more/b.toml", "/elsewhere/one.toml");
    assertThat(files.folders()).contains("/k", "/k/more", "/elsewhere", "/etc/containerd");
  }

  @Test
  void handlersAreReadFromTheFilesOfEachRuntime() throws IOException {
    write(
        "/etc/containerd/config.toml",
        """
        [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
          BinaryName = "/usr/bin/runc"
        [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.'gpu']
          runtime_type = 'io.containerd.runc.v2'
          [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.'gpu'.options]
            BinaryName = '/opt/nvidia-container-runtime'
        [plugins.'io.containerd.cri.v1.runtime'.cni]
          BinaryName = 'not a handler'
        # [plugins.x.containerd.runtimes.off]
        """);
    write("/etc/crio.conf", "[crio.runtime.runtimes.nvidia]\nruntime_path = \"/usr/bin/nv\"\n");
    write(
        "/etc/docker.json",
        "{\"runtimes\": {\"nvidia\": {\"args\": [], \"path\": \"nvidia-container-runtime\"}}}");

    assertThat(RuntimeHandler.in(host(), "/etc/containerd/config.toml"))
        .extracting(it -> it.name() + "=" + it.program() + " " + it.isForGpus())
        .containsExactly("runc=/usr/bin/runc false", "gpu=/opt/nvidia-container-runtime true");
    assertThat(RuntimeHandler.in(host(), "/etc/crio.conf"))
        .containsExactly(new RuntimeHandler("/etc/crio.conf", "nvidia", "/usr/bin/nv"));
    assertThat(RuntimeHandler.in(host(), "/etc/docker.json"))
        .containsExactly(
            new RuntimeHandler("/etc/docker.json", "nvidia", "nvidia-container-runtime"));
  }

  @Test
  void innermostAndLastMountCounts() {
    Mounts mounts =
        Mounts.of(
            """
            /dev/a / ext4 rw,relatime 0 0
            /dev/b /etc ext4 rw 0 0
            tmpfs /etc tmpfs ro,noexec 0 0
            /dev/c /with\\040space ext4 ro 0 0
            garbage
            """);

    assertThat(mounts.under("/etcetera").orElseThrow().point()).isEqualTo("/");
    assertThat(mounts.under("/etc/containerd").orElseThrow().isReadOnly()).isTrue();
    assertThat(mounts.under("/etc").orElseThrow().type()).isEqualTo("tmpfs");
    assertThat(mounts.under("/with space/x").orElseThrow().isReadOnly()).isTrue();
    assertThat(Mounts.of("").under("/etc")).isEmpty();
  }

  private HostRoot host() {
    return new HostRoot(root);
  }

  private void write(String path, String text) throws IOException {
    Path file = root.resolve("." + path).normalize();
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, text);
  }
}
