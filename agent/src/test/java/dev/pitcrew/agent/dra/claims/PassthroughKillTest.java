package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.agent.dra.claims.ClaimPreparer.Step;
import dev.pitcrew.agent.dra.claims.plan.CheckpointText;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.agent.vfio.FakePci;
import dev.pitcrew.agent.vfio.VfioDevices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A process that dies after any write to sysfs, or after any step of a call, leaves no GPU with a
/// driver that no claim wants, once the next process has started.
class PassthroughKillTest {
  private static final String UID = "0a1b2c3d-0000-4000-8000-000000000001";
  private static final String ADDRESS = "0000:1a:00.0";
  private static final String OTHER = "0000:1b:00.0";
  private static final String OVERRIDE = "/sys/bus/pci/devices/" + ADDRESS + "/driver_override";

  /// `unbindLock`, `driver_override` and `unbind`, then `driver_override` and `bind`.
  private static final int WRITES_OF_PREPARE = 5;

  /// `driver_override`, `unbind` and `bind`.
  private static final int WRITES_OF_UNPREPARE = 3;

  /// Stands for SIGKILL: nothing of the process runs any more.
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  @TempDir private Path folder;
  private PassthroughNode node;
  private final ClaimObject claim = TestClaim.of(UID, "gpu-vfio-0", "", false);

  @BeforeEach
  void start() throws IOException {
    node = PassthroughNode.of(folder, "h100x2");
  }

  /// Starts as the agent does.
  private ClaimPreparer started() {
    ClaimPreparer preparer = node.preparer(node::written, _ -> {});
    assertThat(preparer.recoverGiven()).isEmpty();
    return preparer;
  }

  private ClaimPreparer killedAfterWrite(int write) {
    int[] made = {0};
    VfioDevices.SysfsFile mortal =
        (file, text) -> {
          node.written(file, text);
          if (++made[0] == write) {
            throw new Killed();
          }
        };
    return node.preparer(mortal, _ -> {});
  }

  private ClaimPreparer killedAfter(Step step) {
    return node.preparer(
        node::written,
        done -> {
          if (done == step) {
            throw new Killed();
          }
        });
  }

  private void assertPrepared(ClaimPreparer preparer) {
    assertThat(preparer.prepare(claim, node.devices(preparer)))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(node.pci().driverOf(ADDRESS)).contains("vfio-pci");
    assertThat(node.listed(preparer)).containsExactly("gpu-1", "gpu-vfio-0", "gpu-vfio-1");
  }

  private void assertBack(ClaimPreparer preparer) throws IOException {
    assertThat(node.pci().driverOf(ADDRESS)).contains("nvidia");
    assertThat(node.pci().read(OVERRIDE)).isEqualTo("(null)\n");
    assertThat(node.pci().read(FakePci.lock(ADDRESS)).strip()).isEqualTo("0");
    assertThat(node.driver().isPersistent(ADDRESS)).isTrue();
    assertThat(node.listed(preparer)).containsExactly("gpu-0", "gpu-1", "gpu-vfio-0", "gpu-vfio-1");
    assertThat(node.pci().driverOf(OTHER)).contains("nvidia");
  }

  private void assertUnprepared(ClaimPreparer preparer) throws IOException {
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertBack(preparer);
    assertThat(preparer.claims()).isEmpty();
    assertThat(
            Files.exists(node.files().cdi().resolve("k8s.gpu.nvidia.com-claim_" + UID + ".yaml")))
        .isFalse();
  }

  @Test
  void theseAreTheWrites() {
    int[] made = {0};
    ClaimPreparer preparer =
        node.preparer(
            (file, text) -> {
              node.written(file, text);
              made[0]++;
            },
            _ -> {});
    assertPrepared(preparer);
    assertThat(made[0]).isEqualTo(WRITES_OF_PREPARE);
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(made[0]).isEqualTo(WRITES_OF_PREPARE + WRITES_OF_UNPREPARE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, WRITES_OF_PREPARE})
  void gpuReturnsAtTheNextStart(int write) throws IOException {
    ClaimPreparer mortal = killedAfterWrite(write);
    assertThatThrownBy(() -> mortal.prepare(claim, node.devices(mortal)))
        .isInstanceOf(Killed.class);

    ClaimPreparer next = started();
    assertBack(next);
    assertPrepared(next);
    assertUnprepared(next);
  }

  @ParameterizedTest
  @EnumSource(names = {"STARTED", "GIVEN", "FILE_WRITTEN"})
  void gpuOfAClaimThatIsNotPreparedReturns(Step step) throws IOException {
    ClaimPreparer mortal = killedAfter(step);
    assertThatThrownBy(() -> mortal.prepare(claim, node.devices(mortal)))
        .isInstanceOf(Killed.class);

    ClaimPreparer next = started();
    assertBack(next);
    assertUnprepared(next);
  }

  @Test
  void gpuOfAPreparedClaimStaysGiven() throws IOException {
    ClaimPreparer mortal = killedAfter(Step.COMPLETED);
    assertThatThrownBy(() -> mortal.prepare(claim, node.devices(mortal)))
        .isInstanceOf(Killed.class);
    node.changes();

    ClaimPreparer next = started();
    assertPrepared(next);
    assertThat(node.changes()).isEmpty();
    assertUnprepared(next);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, WRITES_OF_UNPREPARE})
  void unprepareEndsAfterAKill(int write) throws IOException {
    assertPrepared(started());
    assertThatThrownBy(() -> killedAfterWrite(write).unprepare(UID)).isInstanceOf(Killed.class);

    assertUnprepared(started());
  }

  /// The kubelet may need the claim again, since its pod is still there.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, WRITES_OF_UNPREPARE})
  void prepareAfterAKilledUnprepareGivesTheGpuAgain(int write) throws IOException {
    assertPrepared(started());
    assertThatThrownBy(() -> killedAfterWrite(write).unprepare(UID)).isInstanceOf(Killed.class);

    ClaimPreparer next = started();
    assertPrepared(next);
    assertUnprepared(next);
  }

  @ParameterizedTest
  @EnumSource(names = {"FILE_REMOVED", "WITHDRAWN", "REMOVED"})
  void unprepareEndsAfterTheProcessWasKilled(Step step) throws IOException {
    assertPrepared(started());
    assertThatThrownBy(() -> killedAfter(step).unprepare(UID)).isInstanceOf(Killed.class);

    assertUnprepared(started());
  }

  /// What NVIDIA's DRA driver writes to sysfs where it gives a GPU.
  private void giveAsNvidia(String address, int writes) {
    node.driver().setPersistence(address, false);
    node.driver()
        .alone(() -> {
          Stream.of(
                  Map.entry("/sys/bus/pci/drivers/nvidia/unbind", address),
                  Map.entry(FakePci.DEVICES + address + "/driver_override", "vfio-pci"),
                  Map.entry("/sys/bus/pci/drivers/vfio-pci/bind", address))
              .limit(writes)
              .forEach(write -> {
                try {
                  node.written(node.pci().root().resolve("." + write.getKey()), write.getValue());
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
          return true;
        });
  }

  /// It writes the devices of a claim only after it has given all, and the node then moves to the
  /// agent. A GPU of no claim stays as it is.
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void gpuThatNvidiasDriverHasHalfGivenReturns(int writes) throws IOException {
    var _ = node.preparer(node::written, _ -> {});
    Files.writeString(
        node.files().checkpoint(),
        CheckpointText.of(new TreeMap<>(Map.of(UID, PreparedClaim.started(claim))), TestNode.BOOT));
    giveAsNvidia(ADDRESS, writes);
    giveAsNvidia(OTHER, 3);

    ClaimPreparer next = started();
    assertThat(node.pci().driverOf(ADDRESS)).contains("nvidia");
    assertThat(node.pci().read(OVERRIDE)).isEqualTo("(null)\n");
    assertThat(node.driver().isPersistent(ADDRESS)).isTrue();
    assertThat(node.pci().driverOf(OTHER)).contains("vfio-pci");
    assertThat(node.listed(next)).containsExactly("gpu-0", "gpu-vfio-0");
    assertThat(next.prepare(claim, node.devices(next))).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(next.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(next.claims()).isEmpty();
    assertThat(node.listed(next)).containsExactly("gpu-0", "gpu-vfio-0");
    assertThat(node.pci().driverOf(OTHER)).contains("vfio-pci");
  }

  /// The kubelet may give the claim up before that.
  @Test
  void unprepareReturnsAGpuThatNvidiasDriverHasHalfGiven() throws IOException {
    var _ = node.preparer(node::written, _ -> {});
    Files.writeString(
        node.files().checkpoint(),
        CheckpointText.of(new TreeMap<>(Map.of(UID, PreparedClaim.started(claim))), TestNode.BOOT));
    giveAsNvidia(ADDRESS, 3);

    assertUnprepared(node.preparer(node::written, _ -> {}));
  }

  /// As while a GPU of the node is reset: it returns with a later look.
  @Test
  void gpuReturnsOnceNoOtherPartOfTheAgentChangesGpus() throws IOException {
    ClaimPreparer mortal = killedAfterWrite(WRITES_OF_PREPARE);
    assertThatThrownBy(() -> mortal.prepare(claim, node.devices(mortal)))
        .isInstanceOf(Killed.class);
    node.driver().take(true);
    node.changes();

    ClaimPreparer next = node.preparer(node::written, _ -> {});
    assertThat(next.recoverGiven())
        .singleElement()
        .satisfies(it -> assertThat(it).contains("gpu-vfio-0", ADDRESS, "for another reason"));
    assertThat(next.unprepare(UID)).isInstanceOf(UnprepareOutcome.Failed.class);
    assertThat(node.changes()).isEmpty();

    node.driver().take(false);
    assertThat(next.recoverGiven()).isEmpty();
    assertBack(next);
    assertUnprepared(next);
  }

  @Test
  void gpuThatCannotBeBoundReturnsInTheSameCall() throws IOException {
    ClaimPreparer preparer =
        node.preparer(
            (file, text) -> {
              if (file.endsWith("vfio-pci/bind")) {
                throw new IOException("Input/output error");
              }
              node.written(file, text);
            },
            _ -> {});

    assertThat(preparer.prepare(claim, node.devices(preparer)))
        .isInstanceOfSatisfying(
            PrepareOutcome.Failed.class,
            it ->
                assertThat(it.reason())
                    .contains("team/c-" + UID, "gpu-vfio-0", ADDRESS, "Input/output error"));
    assertBack(preparer);
    assertThat(node.changes())
        .containsExactly("unbind " + ADDRESS + " nvidia", "bind " + ADDRESS + " nvidia");
    assertThat(List.copyOf(preparer.claims().values()))
        .singleElement()
        .satisfies(it -> assertThat(it.given()).isEmpty());
  }
}
