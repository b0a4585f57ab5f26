package dev.pitcrew.agent.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The process of a check beside the one that started it.
class CudaChildLifeTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void theCheckOfAnAgentThatIsKilledEndsWithIt(@TempDir Path folder, @TempDir Path links)
      throws Exception {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100").withGpus(1));
    node.hang(0);
    Process parent = CheckingParent.start(List.of(), 0, node, links);
    try {
      await().atMost(LIMIT).until(() -> parent.descendants().anyMatch(CudaChildLifeTest::isCheck));
      ProcessHandle check =
          parent.descendants().filter(CudaChildLifeTest::isCheck).findFirst().orElseThrow();
      await().atMost(LIMIT).until(() -> isInDriver(node, check));

      parent.destroyForcibly().waitFor();

      await().atMost(LIMIT).until(() -> !check.isAlive());
      assertThat(parent.exitValue()).isEqualTo(128 + 9);
      node.release(0);
      await().ignoreExceptions().atMost(LIMIT).until(() -> unloads(node));
    } finally {
      parent.descendants().forEach(ProcessHandle::destroyForcibly);
      parent.destroyForcibly();
    }
  }

  private static boolean isCheck(ProcessHandle process) {
    return CudaCheck.isCheck(process.pid());
  }

  /// The simulated libcuda has the node's state in its memory from its first call on.
  private static boolean isInDriver(SimulatedNode node, ProcessHandle check) {
    try {
      return Files.readString(Path.of("/proc/" + check.pid() + "/maps"))
          .contains(node.state().toString());
    } catch (IOException _) {
      return false;
    }
  }

  private static boolean unloads(SimulatedNode node) {
    node.simulate("unload", "--if-idle");
    return true;
  }
}
