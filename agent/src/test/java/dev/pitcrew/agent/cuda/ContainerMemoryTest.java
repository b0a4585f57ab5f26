package dev.pitcrew.agent.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the files of cgroups say, as the kernel has them (cgroup-v2.rst, cgroup-v1/memory.rst).
class ContainerMemoryTest {
  private static final long MIB = 1 << 20;

  @TempDir private Path folder;
  private ContainerMemory memory;

  @BeforeEach
  void ofContainer() throws IOException {
    memory = new ContainerMemory(folder.resolve("membership"), folder.resolve("cgroup"));
    put("membership", "0::/kubepods/pod1/agent\n");
  }

  @Test
  void theNearestLimitCounts() throws IOException {
    group("cgroup/kubepods/pod1/agent", 320 * MIB, 120 * MIB, 20 * MIB);
    assertThat(left()).hasValue(220 * MIB);

    group("cgroup/kubepods/pod1", 300 * MIB, 200 * MIB, 0);
    assertThat(left()).as("of the pod").hasValue(100 * MIB);
  }

  /// The first container of an image on a node reads its files, and is charged for their pages.
  @Test
  void pagesOfFilesDoNotCountAsUsed() throws IOException {
    group("cgroup/kubepods/pod1/agent", 320 * MIB, 220 * MIB, 20 * MIB);
    put(
        "cgroup/kubepods/pod1/agent/memory.stat",
        "anon %d\ninactive_file %d\nactive_file %d\n".formatted(100 * MIB, 20 * MIB, 90 * MIB));

    assertThat(left()).hasValue(210 * MIB);
  }

  @Test
  void withoutLimitNothingIsShort() throws IOException {
    put("cgroup/kubepods/pod1/agent/memory.max", "max\n");
    put("cgroup/kubepods/pod1/agent/memory.current", "1000\n");

    assertThat(left()).isEmpty();
  }

  @Test
  void aContainerThatSeesItsOwnCgroupAlone() throws IOException {
    group("cgroup", 128 * MIB, 100 * MIB, 0);
    put("membership", "0::/\n");
    assertThat(left()).hasValue(28 * MIB);

    put("membership", "0::/kubepods/pod1/agent\n");
    assertThat(left()).as("by its name on the host").hasValue(28 * MIB);
  }

  @Test
  void cgroupV1SaysItInOtherFiles() throws IOException {
    put("membership", "5:cpu:/other\n4:memory:/pod1/agent\n0::/\n");
    String at = "cgroup/memory/pod1/agent/";
    put(at + "memory.limit_in_bytes", "200\n");
    put(at + "memory.usage_in_bytes", "150\n");
    put(at + "memory.stat", "inactive_file 9\ntotal_inactive_file 30\ntotal_active_file 5\n");
    put(at + "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    put("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("cgroup/memory/memory.usage_in_bytes", "150\n");

    assertThat(left()).hasValue(85);
    assertThat(memory.ended()).hasValue(2);
    assertThat(memory.endOneAlone()).isEmpty();
  }

  @Test
  void theAgentDoesNotEndWithItsCheck() throws IOException {
    group("cgroup/kubepods/pod1/agent", 320 * MIB, 120 * MIB, 0);
    put("cgroup/kubepods/pod1/agent/memory.oom.group", "1\n");
    put("cgroup/kubepods/pod1/memory.oom.group", "1\n");

    assertThat(memory.endOneAlone()).isEmpty();

    assertThat(folder.resolve("cgroup/kubepods/pod1/agent/memory.oom.group")).hasContent("0");
    assertThat(folder.resolve("cgroup/kubepods/pod1/memory.oom.group")).hasContent("1");
  }

  @Test
  void killsAreCounted() throws IOException {
    group("cgroup/kubepods/pod1/agent", 320 * MIB, 120 * MIB, 0);
    assertThat(memory.ended()).isEmpty();

    put("cgroup/kubepods/pod1/agent/memory.events", "low 0\noom 4\noom_kill 3\noom_group_kill 1\n");
    assertThat(memory.ended()).hasValue(3);
  }

  @Test
  void nothingIsKnownWithoutCgroups() {
    var none = new ContainerMemory(folder.resolve("absent"), folder.resolve("absent"));

    assertThat(none.room()).isEmpty();
    assertThat(none.ended()).isEmpty();
    assertThat(none.endOneAlone()).isEmpty();
  }

  private OptionalLong left() {
    return memory.room().stream().mapToLong(ContainerMemory.Room::left).findFirst();
  }

  private void group(String at, long limit, long usage, long idle) throws IOException {
    put(at + "/memory.max", limit + "\n");
    put(at + "/memory.current", usage + "\n");
    put(at + "/memory.stat", "anon 5\ninactive_file " + idle + "\nactive_file 0\n");
  }

  private void put(String file, String text) throws IOException {
    Path path = folder.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
