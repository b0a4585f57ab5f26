package dev.pitcrew.agent.validation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostReaderTest {
  @TempDir private Path root;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "etc/containerd/config.toml|[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.nvidia]|true",
        "etc/containerd/conf.d/99-nvidia.toml|  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.'nvidia']|true",
        "etc/crio/crio.conf.d/99-nvidia.conf|[crio.runtime.runtimes.nvidia]|true",
        "etc/docker/daemon.json|{\"runtimes\": {\"nvidia\": {\"path\": \"/usr/bin/x\"}}}|true",
        "etc/containerd/config.toml|# [plugins.x.containerd.runtimes.nvidia]|false",
        "etc/containerd/config.toml|[plugins.x.containerd.runtimes.nvidia-cdi]|false",
        "etc/containerd/config.toml|[plugins.x.containerd.runtimes.runc]|false"
      })
  void handlerIsFoundInTheFilesOfEachRuntime(String file, String text, boolean isThere)
      throws IOException {
    write(file, text + "\n");

    assertThat(!RuntimeHandlers.in(new HostRoot(root), "nvidia").isEmpty()).isEqualTo(isThere);
  }

  @Test
  void allThatASpecificationNamesIsLookedFor() throws IOException {
    write("usr/bin/hook", "");
    write("dev/nvidia0", "");
    write(
        "var/run/cdi/nvidia.yaml",
        """
        cdiVersion: 0.5.0
        kind: nvidia.com/gpu
        devices:
        - name: "0"
          containerEdits:
            deviceNodes:
            - path: /dev/nvidia0
            - path: /dev/inside
              hostPath: /dev/nvidia9
        containerEdits:
          hooks:
          - hookName: createContainer
            path: /usr/bin/hook
          mounts:
          - hostPath: /usr/lib/libcuda.so.1
            containerPath: /usr/lib/libcuda.so.1
        """);
    write("var/run/cdi/other.json", "{\"kind\": \"example.com/fpga\", \"devices\": 3}");
    write("var/run/cdi/k8s.device-plugin.nvidia.com-gpu.json", "{\"kind\": [");

    var files = new SpecificationReader(root.resolve("var/run/cdi"), new HostRoot(root)).read();

    assertThat(files).hasSize(2);
    assertThat(files.getFirst().problem()).hasValue("it is neither JSON nor YAML");
    assertThat(files.getLast().missing()).containsExactly("/dev/nvidia9", "/usr/lib/libcuda.so.1");
  }

  private void write(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, text);
  }
}
