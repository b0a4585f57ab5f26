package dev.pitcrew.agent.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.LogNotes;
import dev.pitcrew.agent.health.SwitchError;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.health.UnhealthyDevices.Xid;
import dev.pitcrew.agent.node.NodeSnapshot.WithDriver;
import dev.pitcrew.device.inventory.AddressingMode;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.Brand;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.PciFunction;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SnapshotTextTest {
  private static final String BOOT = "a-boot";
  private static final Inventory GPUS =
      Nodes.of(Nodes.gpu(0, new Mig.Disabled(Set.of())), Nodes.divided(1, 2));
  private static final LogNotes LOG =
      new LogNotes(
          OptionalLong.of(5_000_000_000L),
          List.of(
              new SwitchError(
                  "0000:c1:00.0",
                  20034,
                  true,
                  "Link 30; LTSSM\tFault Up",
                  Instant.parse("2026-11-21T22:33:44.55Z"))));
  private static final WithDriver SNAPSHOT = snapshot(Map.of());
  private static final String TEXT = SnapshotText.write(SNAPSHOT, BOOT);

  @Test
  void snapshot_isReadAsItWasWritten() {
    WithDriver read = SnapshotText.read(TEXT, BOOT).orElseThrow();

    assertThat(read.gpus().inventory()).isEqualTo(GPUS);
    assertThat(read.gpus().lost()).containsExactly(Nodes.uuid(0));
    assertThat(read.unhealthy().signs()).isEqualTo(SNAPSHOT.unhealthy().signs());
    assertThat(read.unhealthy().driverLoad()).contains("4711");
    assertThat(read.log()).isEqualTo(LOG);
    assertThat(SnapshotText.write(read, BOOT)).isEqualTo(TEXT);
  }

  @Test
  void factsOfResourceSlicesAreReadAsTheyWereWritten() {
    Gpu plain = Nodes.gpu(0, new Mig.NotCapable());
    var board =
        new Board(
            plain.board().name(),
            plain.board().memoryBytes(),
            plain.board().computeCapability(),
            Optional.of(Brand.TESLA),
            Optional.of(AddressingMode.HMM));
    var pci =
        new PciFunction(
            plain.pci().address(),
            OptionalInt.empty(),
            OptionalInt.of(1),
            Optional.of("pci0000:3a"));
    var gpu = new Gpu(0, 0, plain.uuid(), board, pci, plain.mig(), plain.fabric());

    assertThat(GpuText.read(GpuText.write(gpu))).isEqualTo(gpu);
  }

  /// Earlier agents stored the first slice of a MIG device, but neither its profile nor its size.
  @Test
  void placementStoredByAnEarlierAgentIsUnknown() {
    Gpu gpu = Nodes.divided(1, 2);
    ObjectNode earlier = GpuText.write(gpu);
    for (JsonNode device : earlier.at("/mig/devices")) {
      ((ObjectNode) device).remove(List.of("profileId", "slices"));
    }

    Gpu read = GpuText.read(earlier);

    assertThat(read.mig().migDevices())
        .hasSize(2)
        .allMatch(device -> device.placement().isEmpty())
        .extracting(MigDevice::uuid)
        .containsExactly(Nodes.migUuid(1, 0), Nodes.migUuid(1, 1));
  }

  @Test
  void gpuThatDoesNotAnswerAtTheMoment_isNotWritten() {
    assertThat(SnapshotText.write(snapshot(Map.of(Nodes.uuid(1), "hangs")), BOOT)).isEqualTo(TEXT);
  }

  @Test
  void aRebootHasMadeAllWell() {
    assertThat(SnapshotText.read(TEXT, "another-boot")).isEmpty();
    assertThat(SnapshotText.read(TEXT, "")).isEmpty();
  }

  @Test
  void halfATextIsRefused() {
    for (int length = 0; length < TEXT.length() - 2; length += 97) {
      String half = TEXT.substring(0, length);
      assertThatThrownBy(() -> SnapshotText.read(half, BOOT))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"version\":1 | \"version\":2 | version is 2",
        "\"index\":0 | \"index\":-1 | index is -1",
        "GPU-12345678-1234-1234-1234-123456780000 | ../../etc | uuid is \"../../etc\"",
        "0000:00:00.0 | /dev/null | pciAddress is \"/dev/null\"",
        "\"number\":79 | \"number\":\"79\" | number is \"79\"",
        "2026-11-22T00:00:00Z | yesterday | yesterday",
        "[{\"index\":0 | [7,{\"index\":0 | index is",
        "\"lost\":[ | \"lost\":[[], | lost is [[]",
        "\"kernelLog\":5000000000 | \"kernelLog\":-5 | kernelLog is -5",
        "0000:c1:00.0 | c1 | pciAddress is \"c1\"",
        "\"driverLoad\":\"4711\" | \"driverLoad\":4711 | driverLoad is 4711",
      })
  void textThatNoAgentWrote_isRefused_andNamed(String right, String wrong, String words) {
    assertThat(TEXT).contains(right);

    assertThatThrownBy(() -> SnapshotText.read(TEXT.replace(right, wrong), BOOT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  private static WithDriver snapshot(Map<String, String> unanswered) {
    var xids =
        Map.of(
            Nodes.migUuid(1, 0), new Xid(48, Instant.parse("2026-11-21T22:33:44.55Z")),
            Nodes.uuid(0), new Xid(79, Instant.parse("2026-11-22T00:00:00Z")));
    Set<String> lost = Set.of(Nodes.uuid(0));
    return new WithDriver(
        new KnownGpus(GPUS, unanswered, lost),
        new UnhealthyDevices(xids, unanswered, lost, Optional.of("4711")),
        Set.of(),
        LOG);
  }
}
