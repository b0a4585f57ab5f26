package dev.pitcrew.agent.dra.domains.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.agent.dra.domains.plan.DomainNode.Capability;
import dev.pitcrew.agent.dra.domains.plan.DomainNode.Numbers;
import dev.pitcrew.agent.dra.domains.plan.DomainNode.Suitability;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.device.inventory.Topology;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which nodes serve ComputeDomains, and why others do not (cd-start-errors, cd-slices-gb200).
class DomainNodeTest {
  private static final UUID CLUSTER = new UUID(0, 1);
  private static final Fabric FIRST = new Fabric.Attached(CLUSTER, 0);
  private static final Fabric SECOND = new Fabric.Attached(CLUSTER, 1);
  private static final Fabric NONE = new Fabric.NotAttached();
  private static final Numbers NUMBERS =
      new Numbers(OptionalInt.of(235), OptionalInt.of(234), OptionalInt.of(33));

  private static Suitability of(String driver, Numbers numbers, Fabric... fabrics) {
    List<Gpu> gpus =
        IntStream.range(0, fabrics.length)
            .mapToObj(index ->
                new Gpu(
                    index,
                    index,
                    "GPU-" + index,
                    new Board("NVIDIA GB200", 1L << 30, new ComputeCapability(10, 0)),
                    new PciFunction("0000:0a:00.0", OptionalInt.empty(), OptionalInt.empty()),
                    new Mig.NotCapable(),
                    fabrics[index]))
            .toList();
    var inventory =
        new Inventory(new DriverVersion(driver, 13, 0), gpus, List.of(), Topology.UNKNOWN);
    return DomainNode.of("node-a", inventory, numbers);
  }

  private static String reason(Suitability suitability) {
    return suitability instanceof Suitability.Unsuitable(var reason) ? reason : "";
  }

  @Test
  void nodeOfOneCliqueIsSuitable() {
    assertThat(of("580.65.06", NUMBERS, FIRST, FIRST))
        .isEqualTo(
            new Suitability.Suitable(
                new DomainNode(
                    "node-a",
                    Optional.of(CLUSTER + ".0"),
                    235,
                    Optional.of(new Capability(234, 33)))));
  }

  @Test
  void nodeWithoutAFabricIsSuitable() {
    assertThat(of("580.65.06", NUMBERS, NONE, NONE))
        .isInstanceOfSatisfying(
            Suitability.Suitable.class, it -> assertThat(it.node().clique()).isEmpty());
  }

  @ParameterizedTest
  @CsvSource({
    "550.163.01, true",
    "570.158, true",
    "570.133.20, true",
    "570.158.01, false",
    "570.158.2, false",
    "580.65.06, false",
    "1000.1, false",
    "main-build, false",
  })
  void oldDriversAreRefused(String driver, boolean isRefused) {
    assertThat(reason(of(driver, NUMBERS, FIRST)).contains(driver)).isEqualTo(isRefused);
  }

  /// The recorded driver exits. This agent serves the GPUs of the node all the same.
  @Test
  void driverOfTheRecordingIsRefused() {
    JsonNode recorded = Facts.read("cd-start-errors");
    String driver =
        Facts.read("nodes").path(recorded.path("node").asText()).path("driverVersion").asText();
    assertThat(recorded.at("/steps/0/got/error").asText()).contains("minimum version");

    assertThat(reason(of(driver, NUMBERS, NONE))).contains(driver, "570.158.01");
  }

  @Test
  void severalCliquesAreRefused() {
    assertThat(reason(of("580.65.06", NUMBERS, FIRST, SECOND)))
        .contains(CLUSTER + ".0", CLUSTER + ".1", "fabric manager");
    assertThat(reason(of("580.65.06", NUMBERS, FIRST, NONE))).contains("only some GPUs");
  }

  @Test
  void gpuThatHasNotJoinedTheFabricIsNamed() {
    assertThat(reason(of("580.65.06", NUMBERS, FIRST, new Fabric.Pending("in progress"))))
        .contains("GPU-1", "in progress");
  }

  @Test
  void kernelWithoutImexIsRefused() {
    var none = new Numbers(OptionalInt.empty(), OptionalInt.of(234), OptionalInt.of(33));
    assertThat(reason(of("580.65.06", none, FIRST))).contains("nvidia-caps-imex-channels");
    var unmanaged = new Numbers(OptionalInt.of(235), OptionalInt.of(234), OptionalInt.empty());
    assertThat(reason(of("580.65.06", unmanaged, FIRST))).contains("fabric-imex-mgmt");
    assertThat(reason(of("580.65.06", unmanaged, NONE))).isEmpty();
  }
}
