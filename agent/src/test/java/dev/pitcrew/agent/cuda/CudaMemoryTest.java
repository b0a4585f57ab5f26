package dev.pitcrew.agent.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.junit.NeedsRealNodes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A check in a cgroup that has a limit, as the agent's container has.
@NeedsRealNodes
class CudaMemoryTest {
  private static final Path V1 = Path.of("/sys/fs/cgroup/memory");
  private static final Path V2 = Path.of("/sys/fs/cgroup");

  /// With what every JVM takes, the 128 MiB of the agent's target.
  private static final int AGENT_MIB = 80;

  @TempDir private Path folder;
  @TempDir private Path links;
  private final Path group =
      (Files.isDirectory(V1) ? V1 : V2).resolve("pitcrew-cuda-" + UUID.randomUUID());
  private SimulatedNode node;

  @BeforeEach
  void aGpu() throws IOException {
    node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100").withGpus(1));
    Files.createDirectory(group);
  }

  @AfterEach
  void end() throws IOException {
    Files.delete(group);
  }

  @Test
  void theCheckFitsBesideAnAgent() throws Exception {
    assertThat(checkedWithin(320, AGENT_MIB)).contains("Passed[elements=1024");
  }

  @Test
  void aCheckThatUsesUpTheMemoryEndsAlone() throws Exception {
    Files.writeString(Path.of(node.state() + ".cuda-fault"), "host-memory");

    // The larger one of the two would be ended, were they equal: the parent.
    assertThat(checkedWithin(640, 330))
        .contains(
            "NotChecked[why=the check ran out of memory, remedy=set spec.agent.resources.limits.memory of the FleetPolicy to 832Mi");
  }

  @Test
  void withoutMemoryForItThereIsNoCheck() throws Exception {
    assertThat(checkedWithin(256, AGENT_MIB))
        .contains(
            "NotChecked[why=a check takes up to 192 MiB of memory, and the limit of 256 MiB leaves less,"
                + " remedy=set spec.agent.resources.limits.memory of the FleetPolicy to 320Mi, or");
  }

  /// What the process that checks says, which is to live on.
  private String checkedWithin(int mebibytes, int held) throws Exception {
    String limit = Files.isDirectory(V1) ? "memory.limit_in_bytes" : "memory.max";
    Files.writeString(group.resolve(limit), String.valueOf((long) mebibytes << 20));
    String enter = "echo $$ > %s/cgroup.procs && exec \"$@\"".formatted(group);
    Process parent = CheckingParent.start(List.of("sh", "-c", enter, "sh"), held, node, links);
    String said = new String(parent.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(parent.waitFor()).as(said).isZero();
    return said;
  }
}
