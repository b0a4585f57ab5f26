package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.claims.ClaimPreparer.Prepared;
import dev.pitcrew.agent.dra.claims.ClaimPreparer.Unprepared;
import dev.pitcrew.agent.dra.claims.plan.AllocatedClaim;
import dev.pitcrew.agent.dra.claims.plan.Checkpoint;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Where NVIDIA's DRA driver fails and this one must not, and what a death of the process leaves.
class ClaimPreparerTest {
  private static final int THREADS = 32;
  private static final int CLAIMS = 320;

  @TempDir private Path folder;
  private ClaimNode node;

  @BeforeEach
  void start() throws IOException {
    node = ClaimNode.create(folder, 2, "");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "not json",
        "[]",
        "{\"checksum\":1,\"v1\":{},\"v2\":{\"checksum\":2,\"nodeBootID\":\"x\"}}"
      })
  void damagedCheckpoint_isSetAside_andTheDriverStarts(String text) throws IOException {
    Path file = Files.createDirectories(node.folder).resolve("checkpoint.json");
    Files.writeString(file, text);

    assertThat(node.start().prepare(ClaimNode.claim("a", "gpu-0")))
        .isInstanceOf(Prepared.Devices.class);
    assertThat(node.folder.resolve("checkpoint.json.damaged")).hasContent(text);
    assertThat(Checkpoint.parse(node.checkpoint(), ClaimNode.BOOT))
        .isInstanceOf(Checkpoint.Parsed.Usable.class);
  }

  @Test
  void deathBeforeTheSpecification_isRepairedByTheNextPrepare() throws IOException {
    ObjectNode claim = ClaimNode.claim("a", "gpu-0");
    Files.writeString(node.cdi, "no folder");
    assertThat(node.start().prepare(claim)).isInstanceOf(Prepared.Refused.class);
    assertThat(node.checkpoint()).contains("PrepareStarted").doesNotContain("PrepareCompleted");
    Files.delete(node.cdi);

    var next = node.start();
    assertThat(next.devices()).containsExactly("gpu-0");
    assertThat(next.prepare(claim)).isInstanceOf(Prepared.Devices.class);
    assertThat(node.isSpecified(ClaimNode.uid("a"))).isTrue();
  }

  @Test
  void deathAfterTheSpecification_leavesNothingOnceUnprepared() throws IOException {
    ObjectNode claim = ClaimNode.claim("a", "gpu-0");
    assertThat(node.start().prepare(claim)).isInstanceOf(Prepared.Devices.class);
    var allocated =
        ((AllocatedClaim.Read.Allocated) AllocatedClaim.read(claim, ClaimNode.NODE)).claim();
    var started =
        new Checkpoint(ClaimNode.BOOT, Map.of(allocated.uid(), PreparedClaim.started(allocated)));
    Files.writeString(node.folder.resolve("checkpoint.json"), started.text());

    var next = node.start();
    assertThat(next.unprepare(allocated.uid())).isEqualTo(new Unprepared.Done());
    assertThat(node.isSpecified(allocated.uid())).isFalse();
    assertThat(next.devices()).isEmpty();
  }

  @Test
  void preparedClaim_hasItsAnswerAndItsSpecificationAgain_fromTheNextProcess() throws IOException {
    ObjectNode claim = ClaimNode.claim("a", "gpu-1");
    Prepared first = node.start().prepare(claim);
    Files.delete(
        node.cdi.resolve("k8s.gpu.nvidia.com-claim_%s.yaml".formatted(ClaimNode.uid("a"))));

    assertThat(node.start().prepare(claim)).isEqualTo(first);
    assertThat(node.isSpecified(ClaimNode.uid("a"))).isTrue();
  }

  @Test
  void lostCheckpoint_leavesNoSpecificationOfAClaimThatIsUnprepared() throws IOException {
    assertThat(node.start().prepare(ClaimNode.claim("a", "gpu-0")))
        .isInstanceOf(Prepared.Devices.class);
    Files.delete(node.folder.resolve("checkpoint.json"));

    assertThat(node.start().unprepare(ClaimNode.uid("a"))).isEqualTo(new Unprepared.Done());
    assertThat(node.isSpecified(ClaimNode.uid("a"))).isFalse();
  }

  @Test
  void deviceOfAnotherPoolOrThatIsNotServed_isRefused() {
    var driver = node.start();
    var foreign = ClaimNode.JSON.createArrayNode();
    foreign.addObject().put("request", "r").put("device", "gpu-0").put("pool", "node-b");
    var none = ClaimNode.JSON.createArrayNode();

    assertThat(driver.prepare(ClaimNode.claim("a", "team", foreign, none)))
        .isEqualTo(
            new Prepared.Refused(
                "status.allocation.devices.results has device gpu-0 of pool 'node-b', and this node serves pool 'node-a' only"));
    assertThat(driver.prepare(ClaimNode.claim("b", "gpu-7")))
        .isInstanceOfSatisfying(
            Prepared.Refused.class,
            refused ->
                assertThat(refused.reason()).contains("gpu-7").contains("make the pod again"));
    assertThat(driver.devices()).isEmpty();
  }

  @Test
  void uidThatIsNone_namesNoFile() {
    assertThat(node.start().unprepare("../../etc/passwd"))
        .isEqualTo(new Unprepared.Failed("'../../etc/passwd' is not a UID"));
  }

  @Test
  void checkpointThatCannotBeWritten_refusesAndKeepsWhatIsPrepared() throws IOException {
    var driver = node.start();
    assertThat(driver.prepare(ClaimNode.claim("a", "gpu-0"))).isInstanceOf(Prepared.Devices.class);
    Path aside = node.folder.resolveSibling("aside");
    Files.move(node.folder, aside);
    Files.writeString(node.folder, "no folder");

    assertThat(driver.prepare(ClaimNode.claim("b", "gpu-1")))
        .isInstanceOfSatisfying(
            Prepared.Refused.class,
            refused -> assertThat(refused.reason()).contains("free space there"));
    assertThat(driver.devices()).containsExactly("gpu-0");
    Files.delete(node.folder);
    Files.move(aside, node.folder);
    assertThat(driver.prepare(ClaimNode.claim("b", "gpu-1"))).isInstanceOf(Prepared.Devices.class);
  }

  @Test
  void manyClaimsAtOnce_areAllPreparedAndAllGone() throws IOException {
    var driver = node.start();
    List<ObjectNode> claims =
        IntStream.range(0, CLAIMS).mapToObj(i -> admin("claim-" + i)).toList();
    try (var calls = Executors.newFixedThreadPool(THREADS)) {
      claims.forEach(claim -> calls.execute(() -> driver.prepare(claim)));
    }
    assertThat(claims).allMatch(claim -> node.isSpecified(claim.at("/metadata/uid").asText()));
    try (var calls = Executors.newFixedThreadPool(THREADS)) {
      claims.forEach(
          claim -> calls.execute(() -> driver.unprepare(claim.at("/metadata/uid").asText())));
    }
    assertThat(node.start().devices()).isEmpty();
    assertThat(claims).noneMatch(claim -> node.isSpecified(claim.at("/metadata/uid").asText()));
  }

  private static ObjectNode admin(String name) {
    var devices = ClaimNode.JSON.createArrayNode();
    devices.addObject().put("request", "r").put("device", "gpu-0").put("adminAccess", true);
    return ClaimNode.claim(name, "team", devices, ClaimNode.JSON.createArrayNode());
  }
}
