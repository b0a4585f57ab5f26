package dev.pitcrew.testbed.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
class ControlPlaneLifeTest {
  private final Binaries binaries = Binaries.standard(Progress.standardError());
  @TempDir private Path folder;

  @Test
  void aServerThatDoesNotStartIsExplainedAndNothingIsLeft() {
    var path = folder.resolve("broken");
    var broken = binaries.with(Binary.KUBE_APISERVER, Path.of("/bin/false"));
    var directory = WorkDirectory.at(path);

    assertThatThrownBy(() -> ControlPlane.start(directory, broken, ControlPlaneOptions.defaults()))
        .isInstanceOf(TestbedException.class)
        .hasMessageStartingWith("kube-apiserver ended before it was ready");

    assertThat(path).doesNotExist();
    assertThat(processesOf(path)).isEmpty();
  }

  @Test
  void aPortThatIsTakenInTheLastMomentIsReplaced() throws IOException {
    try (var directory = WorkDirectory.temporary();
        var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var options = ControlPlaneOptions.defaults();
      var credentials = Credentials.writeInto(directory, options);
      directory.write("audit-policy.yaml", WorkDirectory.resource("audit-policy.yaml"));
      var ports = new Ports(Ports.free().etcd(), taken.getLocalPort());

      var processes =
          Processes.serving(
              new CommandLines(binaries, directory, options, ports),
              credentials.authority().certificatePem());

      assertThat(processes.apiServerAddress()).doesNotEndWith(":" + taken.getLocalPort());
    }
  }

  private static List<String> processesOf(Path path) {
    return ProcessHandle.allProcesses()
        .flatMap(process -> process.info().commandLine().stream())
        .filter(commandLine -> commandLine.contains(path.toString()))
        .toList();
  }
}
