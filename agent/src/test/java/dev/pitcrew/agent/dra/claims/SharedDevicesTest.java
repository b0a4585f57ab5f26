package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.PreparedDevice;
import dev.pitcrew.agent.dra.claims.plan.UnenforcedMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Several claims hold a device at the same time where the scheduler has given each a share.
class SharedDevicesTest {
  private static final String DEFAULT_SLICE =
      """
      {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig",
       "sharing": {"strategy": "TimeSlicing"}}\
      """;

  @TempDir private Path folder;
  private TestNode node;
  private ClaimPreparer preparer;

  @BeforeEach
  void start() throws IOException {
    node = TestNode.of(folder, "h100x1", List.of());
    preparer = node.preparer(new FeatureSwitches(true, true, false), (_, _) -> {}, _ -> {});
  }

  private PrepareOutcome prepare(ClaimObject claim) {
    return preparer.prepare(claim, node.devices());
  }

  private static ClaimObject share(String uid, String settings) {
    return TestClaim.shareOf(uid, "gpu-0", "20Gi", settings);
  }

  private void isPrepared(ClaimObject claim) {
    assertThat(prepare(claim)).isInstanceOf(PrepareOutcome.Prepared.class);
  }

  private void isRefused(ClaimObject claim, String... words) {
    assertThat(prepare(claim))
        .isInstanceOfSatisfying(
            PrepareOutcome.Refused.class, it -> assertThat(it.reason()).contains(words));
  }

  /// Also by the next agent, which knows it from the checkpoint alone.
  @Test
  void answerNamesTheShare() throws IOException {
    isPrepared(share("aaaa-1", ""));
    isPrepared(share("bbbb-2", ""));

    assertThat(Files.readString(node.checkpoint())).contains("\"ShareID\":\"share-of-bbbb-2\"");
    preparer = node.preparer();
    assertThat(prepare(share("bbbb-2", "")))
        .isInstanceOfSatisfying(
            PrepareOutcome.Prepared.class,
            it ->
                assertThat(it.devices())
                    .extracting(PreparedDevice::shareId)
                    .containsExactly(Optional.of("share-of-bbbb-2")));
  }

  /// Two requests of a claim may get shares of one device.
  @Test
  void claimMayHaveTwoSharesOfADevice() {
    ClaimObject claim = TestClaim.of(twoShares(), "aaaa-1");

    assertThat(prepare(claim))
        .isInstanceOfSatisfying(
            PrepareOutcome.Prepared.class,
            it -> {
              assertThat(it.devices())
                  .extracting(PreparedDevice::shareId)
                  .containsExactly(Optional.of("one"), Optional.of("two"));
              assertThat(it.devices())
                  .extracting(PreparedDevice::cdiIds)
                  .containsOnly(List.of("k8s.gpu.nvidia.com/claim=aaaa-1-gpu-0"));
            });
    assertThat(preparer.unprepare("aaaa-1")).isEqualTo(new UnprepareOutcome.Unprepared());
  }

  private static ObjectNode twoShares() {
    ObjectNode fact = Facts.MAPPER.createObjectNode().put("name", "both");
    for (String name : List.of("one", "two")) {
      fact.withArray("devices")
          .addObject()
          .put("request", name)
          .put("device", "gpu-0")
          .put("shareID", name)
          .putObject("consumedCapacity")
          .put("memory", "20Gi");
    }
    return fact;
  }

  @Test
  void sharesOfOneClaimHaveEqualSettings() {
    ObjectNode fact = twoShares();
    ObjectNode entry = fact.putArray("config").addObject();
    entry
        .put("source", "FromClaim")
        .put("driver", "gpu.nvidia.com")
        .set("parameters", Facts.parse(TestClaim.LONG_SLICE));
    isPrepared(TestClaim.of(fact, "aaaa-1"));
    preparer.unprepare("aaaa-1");

    entry.putArray("requests").add("two");
    isRefused(TestClaim.of(fact, "bbbb-2"), "team/both", "different settings", "gpu-0");
  }

  @Test
  void deviceOfOneClaimIsNotShared() {
    isPrepared(TestClaim.of("aaaa-1", "gpu-0", "", false));
    isRefused(share("bbbb-2", ""), "device gpu-0 is in use", "aaaa-1");
    preparer.unprepare("aaaa-1");

    isPrepared(share("bbbb-2", ""));
    isRefused(TestClaim.of("aaaa-1", "gpu-0", "", false), "device gpu-0 is in use", "bbbb-2");
  }

  /// `interval: Default` is what is meant without an interval.
  @Test
  void sharesHaveEqualSettingsOnceDefaultsAreFilledIn() {
    isPrepared(share("aaaa-1", DEFAULT_SLICE));
    isPrepared(share("bbbb-2", DEFAULT_SLICE.replace("{}", "{\"interval\": \"Default\"}")));
    isRefused(share("cccc-3", TestClaim.LONG_SLICE), "settings for device gpu-0", "equal settings");
  }

  @Test
  void sharesByMpsAreRefused() {
    isRefused(share("aaaa-1", TestClaim.MPS), "MPS", "several claims may share device gpu-0");
  }

  /// A claim that asked for no memory has none, and one that has all of it shares it with no other.
  @ParameterizedTest
  @CsvSource({"20Gi, true", "1Mi, true", "0, false", "80Gi, false", "a lot, false"})
  void memoryThatNothingLimitsIsReported(String memory, boolean isReported) {
    ClaimObject claim = TestClaim.shareOf("aaaa-1", "gpu-0", memory, "");

    List<String> notes = UnenforcedMemory.of(claim, node.devices());

    assertThat(notes).hasSize(isReported ? 1 : 0);
    assertThat(notes)
        .allSatisfy(it ->
            assertThat(it)
                .contains("claim team/c-aaaa-1", memory, "device gpu-0 of node node-a, "));
  }
}
