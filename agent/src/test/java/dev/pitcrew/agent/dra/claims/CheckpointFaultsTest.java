package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Damaged files and full disks cost no claim and no start.
class CheckpointFaultsTest {
  private static final FeatureSwitches OFF = new FeatureSwitches(false, false, false);

  @TempDir private Path folder;
  private TestNode node;
  private final List<Optional<String>> reports = new ArrayList<>();
  private final ClaimObject first = TestClaim.of("aaaa-1", "gpu-0", "", false);
  private final ClaimObject second = TestClaim.of("bbbb-2", "gpu-1", "", false);

  @BeforeEach
  void start() throws IOException {
    node = TestNode.of(folder, "h100x2", List.of());
  }

  private ClaimPreparer preparer() {
    return node.preparer(OFF, (_, problem) -> reports.add(problem), _ -> {});
  }

  private PrepareOutcome prepare(ClaimPreparer preparer, ClaimObject claim) {
    return preparer.prepare(claim, node.devices());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "not json", "{\"checksum\":1,\"v1\":{}}", "\u0000\u0000\u0000"})
  void damagedCheckpointIsRebuiltFromCdiFiles(String damage) throws IOException {
    var answer = prepare(preparer(), first);
    Files.writeString(node.checkpoint(), damage);

    var successor = preparer();

    assertThat(reports.getLast())
        .hasValueSatisfying(
            it -> assertThat(it).contains("checkpoint.json was damaged", "damaged-1", "1 claims"));
    assertThat(node.plugin().resolve("checkpoint.json.damaged-1")).hasContent(damage);
    assertThat(successor.claims()).containsOnlyKeys("aaaa-1");
    assertThat(preparer().claims()).as("written").containsOnlyKeys("aaaa-1");
    assertThat(prepare(successor, first)).as("with its requests").isEqualTo(answer);
    assertThat(successor.claims().values()).noneMatch(PreparedClaim::isRebuilt);
    assertThat(successor.unprepare("aaaa-1")).isEqualTo(new UnprepareOutcome.Unprepared());
    assertThat(node.cdi()).isEmptyDirectory();
  }

  @Test
  void damagedFilesAreKeptUpToFive() throws IOException {
    for (int i = 0; i < 8; i++) {
      var _ = preparer();
      Files.writeString(node.checkpoint(), "damage " + i);
    }
    var _ = preparer();
    try (Stream<Path> files = Files.list(node.plugin())) {
      assertThat(files.map(it -> it.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "checkpoint.json",
              "checkpoint.json.damaged-1",
              "checkpoint.json.damaged-2",
              "checkpoint.json.damaged-3",
              "checkpoint.json.damaged-4",
              "checkpoint.json.damaged-5");
    }
    assertThat(node.plugin().resolve("checkpoint.json.damaged-1")).hasContent("damage 7");
    assertThat(node.plugin().resolve("checkpoint.json.damaged-5")).hasContent("damage 3");
  }

  /// A folder in the place of the draft stands for a disk that takes no more files.
  @Test
  void fullDiskFailsTheClaimAndKeepsTheOthers() throws IOException {
    var preparer = preparer();
    var answer = prepare(preparer, first);
    String before = Files.readString(node.checkpoint());
    Path draft = node.plugin().resolve(".checkpoint.json.draft");
    Files.createDirectories(draft.resolve("full"));

    assertThat(prepare(preparer, second))
        .isInstanceOfSatisfying(
            PrepareOutcome.Failed.class,
            it ->
                assertThat(it.reason())
                    .contains("team/c-bbbb-2", "free space in " + node.plugin()));
    assertThat(reports.getLast()).isPresent();
    assertThat(preparer.unprepare("aaaa-1")).isInstanceOf(UnprepareOutcome.Failed.class);
    assertThat(node.checkpoint()).hasContent(before);
    assertThat(preparer.claims()).containsOnlyKeys("aaaa-1");
    assertThat(prepare(preparer, first)).isInstanceOf(PrepareOutcome.Failed.class);

    Files.delete(draft.resolve("full"));
    Files.delete(draft);
    assertThat(prepare(preparer, first)).isEqualTo(answer);
    assertThat(prepare(preparer, second)).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(reports.getLast()).isEmpty();
    assertThat(preparer().claims()).containsOnlyKeys("aaaa-1", "bbbb-2");
  }

  @Test
  void filesOfClaimsThatDidNotEndAreRemovedAtTheStart() throws IOException {
    prepare(preparer(), first);
    Path stray = node.cdi().resolve("k8s.gpu.nvidia.com-claim_cccc-3.yaml");
    Files.writeString(stray, "---\ndevices:\n    - name: cccc-3-gpu-0\n");
    Path ofOthers = Files.writeString(node.cdi().resolve("k8s.gpu.nvidia.com-x.yaml"), "x");

    var _ = preparer();

    assertThat(stray).doesNotExist();
    assertThat(ofOthers).exists();
    assertThat(node.cdi().resolve("k8s.gpu.nvidia.com-claim_aaaa-1.yaml")).exists();
  }

  @Test
  void claimsOfOtherPoolsNodesAndDriversAreRefusedOneByOne() {
    var preparer = preparer();
    assertRefused(
        preparer,
        claim("{\"request\":\"r\",\"device\":\"gpu-0\",\"pool\":\"node-b\"}"),
        "pool \"node-b\"");
    assertRefused(
        preparer,
        claim("{\"request\":\"r\",\"device\":\"gpu-9\"}"),
        "gpu-9 is not on this node; its devices: gpu-0, gpu-1");
    assertRefused(
        preparer,
        claim("{\"request\":\"r\",\"device\":\"x\",\"driver\":\"x.com\"}"),
        "no device of driver gpu.nvidia.com");
    var unallocated = new ClaimObject("team", "c", "dddd-4", Facts.MAPPER.createObjectNode());
    assertRefused(preparer, unallocated, "team/c is not allocated");
    assertThat(ClaimObject.of(Facts.parse("{\"metadata\":{\"uid\":\"../x\"}}")))
        .isInstanceOf(ClaimObject.Reading.Invalid.class);
    assertThat(prepare(preparer, second)).isInstanceOf(PrepareOutcome.Prepared.class);
  }

  private static ClaimObject claim(String device) {
    return TestClaim.of(
        Facts.parse("{\"name\":\"c\",\"devices\":[%s]}".formatted(device)), "dddd-4");
  }

  private void assertRefused(ClaimPreparer preparer, ClaimObject claim, String text) {
    assertThat(prepare(preparer, claim))
        .isInstanceOfSatisfying(
            PrepareOutcome.Refused.class, it -> assertThat(it.reason()).contains(text));
  }

  @Test
  void nodeWithoutDeviceFilesSaysWhichAreMissing() {
    NodeDevices bare =
        new NodeDevices(
            TestNode.NAME,
            node.devices().devices(),
            Map.of(),
            node.devices().common(),
            List.of("GPU-0 is left out: /dev/nvidia0 is missing"),
            Set.of());
    assertThat(preparer().prepare(first, bare))
        .isInstanceOfSatisfying(
            PrepareOutcome.Failed.class,
            it -> assertThat(it.reason()).contains("gpu-0", "/dev/nvidia0 is missing"));
  }

  @Test
  void sharedDeviceIsPreparedForClaimsWithEqualSettings() {
    NodeDevices shared = node.devices().withShareable(Set.of("gpu-0"));
    ClaimObject other = TestClaim.of("eeee-5", "gpu-0", "", false);
    ClaimObject sliced = TestClaim.of("ffff-6", "gpu-0", TestClaim.LONG_SLICE, false);
    var preparer = node.preparer();
    assertThat(preparer.prepare(first, shared)).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(preparer.prepare(other, node.devices())).isInstanceOf(PrepareOutcome.Refused.class);
    assertThat(preparer.prepare(other, shared)).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(preparer.prepare(sliced, shared))
        .isInstanceOfSatisfying(
            PrepareOutcome.Refused.class,
            it -> assertThat(it.reason()).contains("settings for device gpu-0", "aaaa-1"));
    preparer.unprepare("aaaa-1");
    preparer.unprepare("eeee-5");
    assertThat(preparer.prepare(sliced, shared)).isInstanceOf(PrepareOutcome.Prepared.class);
  }
}
