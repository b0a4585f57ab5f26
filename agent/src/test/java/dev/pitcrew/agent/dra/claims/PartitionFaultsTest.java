package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the driver refuses leaves the GPU as it was, with a reason, and can be unprepared.
class PartitionFaultsTest {
  private static final String UID = "0a1b2c3d-0000-4000-8000-000000000001";
  private static final String OTHER = "0a1b2c3d-0000-4000-8000-000000000002";
  private static final String SMALL = "gpu-0-mig-1g10gb-19-0";

  @TempDir private Path folder;
  private PartitionedNode node;
  private ClaimPreparer preparer;

  @BeforeEach
  void start() throws IOException {
    node = new PartitionedNode(folder, "h100", 1);
    preparer = node.preparer();
  }

  private static ClaimObject claim(String uid, String device) {
    return TestClaim.of(uid, device, "", false);
  }

  private PrepareOutcome prepare(String uid, String device) {
    return preparer.prepare(claim(uid, device), node.devices(preparer));
  }

  private void assertRefused(PrepareOutcome outcome, String... words) {
    String reason =
        switch (outcome) {
          case PrepareOutcome.Prepared _ -> "";
          case PrepareOutcome.Refused(var why) -> why;
          case PrepareOutcome.NotReady(var why) -> why;
          case PrepareOutcome.Failed(var why) -> why;
        };
    assertThat(reason).contains(words);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvmlDeviceSetMigMode",
        "nvmlDeviceCreateGpuInstanceWithPlacement",
        "nvmlGpuInstanceCreateComputeInstance",
      })
  void failedCallOfPrepareLeavesTheGpuAsItWas(String call) throws IOException {
    String before = Files.readString(node.files().checkpoint());
    node.gpus().simulate("fail", call, "999", "1");

    assertRefused(prepare(UID, SMALL), "team/c-" + UID, "GPU 0", "unknown error");

    assertThat(node.migState()).isEmpty();
    assertThat(preparer.ownPartitions()).isEmpty();
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(node.files().checkpoint()).hasContent(before);
    assertThat(prepare(UID, SMALL)).isInstanceOf(PrepareOutcome.Prepared.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nvmlComputeInstanceDestroy", "nvmlGpuInstanceDestroy"})
  void failedCallOfUnprepareIsMadeAgain(String call) {
    assertThat(prepare(UID, SMALL)).isInstanceOf(PrepareOutcome.Prepared.class);
    node.gpus().simulate("fail", call, "999", "1");

    assertThat(preparer.unprepare(UID))
        .isInstanceOfSatisfying(
            UnprepareOutcome.Failed.class,
            it -> assertThat(it.reason()).contains(UID, "GPU 0", "unknown error"));
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);

    assertThat(node.migState()).isEmpty();
    assertThat(preparer.ownPartitions()).isEmpty();
  }

  /// The whole GPU can still be prepared: its claim turns the mode off.
  @Test
  void modeThatStaysOnIsTurnedOffByTheNextClaimForTheWholeGpu() {
    assertThat(prepare(UID, SMALL)).isInstanceOf(PrepareOutcome.Prepared.class);
    node.gpus().simulate("fail", "nvmlDeviceSetMigMode", "999", "1");

    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(node.migState()).containsExactly("mode 0 1 1");

    assertThat(prepare(OTHER, "gpu-0")).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(node.migState()).isEmpty();
  }

  @Test
  void processOnTheGpuKeepsItsMode() {
    node.gpus().simulate("process", "0", "4711", "100");

    assertRefused(prepare(UID, SMALL), "GPU 0 is in use by process 4711");

    assertThat(node.migState()).isEmpty();
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
  }

  @Test
  void instanceOfARunningProcessStays() {
    assertThat(prepare(UID, SMALL)).isInstanceOf(PrepareOutcome.Prepared.class);
    List<String> divided = node.migState();
    String instance = String.valueOf(node.gpus().migDevices().getFirst().gpuInstance());
    node.gpus().simulate("process", "0", "4711", "100", instance, "0");

    assertThat(preparer.unprepare(UID))
        .isInstanceOfSatisfying(
            UnprepareOutcome.Failed.class, it -> assertThat(it.reason()).contains("4711"));
    assertThat(node.migState()).isEqualTo(divided);

    node.gpus().simulate("process", "0", "4711", "0", instance, "0");
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(node.migState()).isEmpty();
  }

  /// An instance that appears after the scheduler has allocated the device: the claim does not get
  /// it, also where it is as the claim wants it.
  @ParameterizedTest
  @CsvSource({
    "gi 0 7 0 0 1;ci 0 7 0 0 0 1",
    "gi 0 7 0 0 1",
    "gi 0 1 2 0 4;ci 0 1 0 2 0 3",
  })
  void instanceOfAnotherOwnerIsNeverDestroyed(String layout) {
    var devices = node.devices(preparer);
    node.gpus().divide("mode 0 1 1\n" + layout.replace(';', '\n') + "\n");
    List<String> divided = node.migState();

    assertRefused(
        preparer.prepare(claim(UID, SMALL), devices), SMALL, "at memory slice 0", "is there");

    assertThat(node.migState()).isEqualTo(divided);
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(node.migState()).isEqualTo(divided);
    assertRefused(preparer.prepare(claim(UID, "gpu-0"), devices), "GPU 0 is divided");
  }

  /// It is offered as it is, and stays when its claim ends.
  @Test
  void claimCanHaveAnInstanceOfAnotherOwner() {
    node.gpus().divide("mode 0 1 1\ngi 0 7 0 0 1\nci 0 7 0 0 0 1\n");
    List<String> divided = node.migState();

    assertThat(node.devices(preparer).devices()).doesNotContainKey("gpu-0");
    assertThat(prepare(UID, SMALL)).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);

    assertThat(node.migState()).isEqualTo(divided);
  }

  @ParameterizedTest
  @CsvSource({
    "gpu-0-mig-1g10gb-19-0, gpu-0-mig-1g10gb-19-0",
    "gpu-0-mig-1g10gb-19-0, gpu-0-mig-3g40gb-9-0",
    "gpu-0-mig-1g10gb-19-0, gpu-0",
    "gpu-0, gpu-0-mig-1g10gb-19-0",
  })
  void deviceThatOverlapsOneOfAnotherClaimIsRefusedByItsName(String first, String second) {
    assertThat(prepare(OTHER, first)).isInstanceOf(PrepareOutcome.Prepared.class);
    List<String> divided = node.migState();

    assertRefused(prepare(UID, second), OTHER, first, second);

    assertThat(node.migState()).isEqualTo(divided);
  }

  @Test
  void oneOfManyClaimsGetsAPlacement() throws Exception {
    var devices = node.devices(preparer);
    var answers = new ArrayList<Future<PrepareOutcome>>();
    try (var threads = Executors.newFixedThreadPool(4)) {
      for (int number = 0; number < 4; number++) {
        String uid = "0a1b2c3d-0000-4000-8000-00000000010" + number;
        answers.add(threads.submit(() -> preparer.prepare(claim(uid, SMALL), devices)));
      }
    }
    int prepared = 0;
    for (Future<PrepareOutcome> answer : answers) {
      if (answer.get() instanceof PrepareOutcome.Prepared) {
        prepared++;
      } else {
        assertRefused(answer.get(), "by another claim, 0a1b2c3d-0000-4000-8000-00000000010");
      }
    }
    assertThat(prepared).isEqualTo(1);
    assertThat(node.migState()).containsExactly("ci 0 0 0 1", "gi 0 0 0 1", "mode 0 1 1");
  }

  /// Monitoring looks at what is there.
  @Test
  void adminAccessMakesNoDeviceAndRemovesNone() {
    var admin = TestClaim.of(OTHER, SMALL, "", true);
    assertRefused(preparer.prepare(admin, node.devices(preparer)), SMALL, "admin access");
    assertThat(node.migState()).isEmpty();
    assertThat(prepare(UID, SMALL)).isInstanceOf(PrepareOutcome.Prepared.class);
    List<String> divided = node.migState();

    assertThat(preparer.prepare(admin, node.devices(preparer)))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(preparer.unprepare(OTHER)).isInstanceOf(UnprepareOutcome.Unprepared.class);

    assertThat(node.migState()).isEqualTo(divided);
  }

  @Test
  void claimOfAGpuThatIsGoneIsUnprepared() throws IOException {
    assertThat(prepare(UID, SMALL)).isInstanceOf(PrepareOutcome.Prepared.class);
    Path journal = node.files().plugin().resolve("partitions.json");
    String uuid = node.uuids().iterator().next();
    Files.writeString(journal, Files.readString(journal).replace(uuid, "GPU-that-was-replaced"));

    assertThat(node.preparer().unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
  }

  /// The daemon and its limits name the UUID of the device, which is not there yet.
  @Test
  void mpsIsRefusedForADeviceThatIsMadeForTheClaim() throws IOException {
    String mps =
        """
        {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "MigDeviceConfig",
         "sharing": {"strategy": "MPS"}}\
        """;
    ClaimPreparer withMps =
        ClaimPreparer.open(
            node.files().places(TestNode.BOOT),
            new FeatureSwitches(true, true, true),
            node.files().smi(),
            node.partitions(),
            new NoPassthrough(),
            (_, _) -> {});

    assertRefused(
        withMps.prepare(TestClaim.of(UID, SMALL, mps, false), node.devices(withMps)), SMALL, "MPS");

    assertThat(node.migState()).isEmpty();
  }
}
