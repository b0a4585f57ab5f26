// Long because every label has its rule, and each rule its rows.
package dev.pitcrew.agent.labels.plan;

import static dev.pitcrew.agent.labels.plan.TestGpu.ONE;
import static dev.pitcrew.agent.labels.plan.TestGpu.THREE;
import static dev.pitcrew.agent.labels.plan.TestGpu.gpu;
import static dev.pitcrew.agent.labels.plan.TestGpu.node;
import static dev.pitcrew.agent.labels.plan.TestGpu.nodeWithLost;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.config.Configs;
import dev.pitcrew.agent.labels.plan.Labelling.Labels;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.hardware.pci.VirtualGpu;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The rules of GPU feature discovery, and where they are broken on purpose: one lost GPU takes no
/// labels along (the reference ends), two models give the same labels each time (the reference
/// takes any), and a value is always legal (the reference writes what the API server refuses).
class GpuLabelsTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.ofEpochSecond(1_700_000_000));
  private static final MachineFacts MACHINE =
      new MachineFacts(Optional.of("Test Server (v2)"), List.of(new VirtualGpu.Absent()));
  private static final String SHARED_TWICE =
      "sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}";

  @Test
  void oneWholeGpu() {
    assertThat(labels(node(gpu("MOCKMODEL")), ""))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry("nvidia.com/gfd.timestamp", "1700000000"),
                Map.entry("nvidia.com/gpu.machine", "Test-Server-v2"),
                Map.entry("nvidia.com/cuda.driver.major", "400"),
                Map.entry("nvidia.com/cuda.driver.minor", "300"),
                Map.entry("nvidia.com/cuda.driver.rev", ""),
                Map.entry("nvidia.com/cuda.driver-version.major", "400"),
                Map.entry("nvidia.com/cuda.driver-version.minor", "300"),
                Map.entry("nvidia.com/cuda.driver-version.revision", ""),
                Map.entry("nvidia.com/cuda.driver-version.full", "400.300"),
                Map.entry("nvidia.com/cuda.runtime.major", "8"),
                Map.entry("nvidia.com/cuda.runtime.minor", "0"),
                Map.entry("nvidia.com/cuda.runtime-version.major", "8"),
                Map.entry("nvidia.com/cuda.runtime-version.minor", "0"),
                Map.entry("nvidia.com/cuda.runtime-version.full", "8.0"),
                Map.entry("nvidia.com/mig.capable", "false"),
                Map.entry("nvidia.com/mps.capable", "false"),
                Map.entry("nvidia.com/gpu.product", "MOCKMODEL"),
                Map.entry("nvidia.com/gpu.count", "1"),
                Map.entry("nvidia.com/gpu.replicas", "1"),
                Map.entry("nvidia.com/gpu.sharing-strategy", "none"),
                Map.entry("nvidia.com/gpu.memory", "300"),
                Map.entry("nvidia.com/gpu.family", "ampere"),
                Map.entry("nvidia.com/gpu.compute.major", "8"),
                Map.entry("nvidia.com/gpu.compute.minor", "0"),
                Map.entry("nvidia.com/gpu.mode", "compute"),
                Map.entry("nvidia.com/vgpu.present", "false")));
  }

  @Test
  void withoutGpus_onlyTimeAndVirtualGpusAreLabelled() {
    assertThat(labels(node(), ""))
        .containsOnlyKeys("nvidia.com/gfd.timestamp", "nvidia.com/vgpu.present");
  }

  @Test
  void timestampCanBeLeftOut() {
    assertThat(labels(node(gpu("A")), "flags: {gfd: {noTimestamp: true}}"))
        .doesNotContainKey("nvidia.com/gfd.timestamp");
  }

  @ParameterizedTest
  @CsvSource({
    "'', 1, none, MOCKMODEL, false",
    "'sharing: {timeSlicing: {resources: [{name: gpu, replicas: 2}]}}', 2, time-slicing,"
        + " MOCKMODEL-SHARED, false",
    "'sharing: {timeSlicing: {renameByDefault: true, resources: [{name: gpu, replicas: 2}]}}', 2,"
        + " time-slicing, MOCKMODEL, false",
    "'sharing: {mps: {resources: [{name: gpu, replicas: 2}]}}', 2, mps, MOCKMODEL-SHARED, true",
    "'sharing: {mps: {renameByDefault: true, resources: [{name: gpu, replicas: 2}]}}', 2, mps,"
        + " MOCKMODEL, true",
    "'sharing: {timeSlicing: {resources: [{name: mig-1g.5gb, replicas: 2}]}}', 1, none, MOCKMODEL,"
        + " false",
  })
  void sharingShowsInReplicasStrategyAndProduct(
      String file, String replicas, String strategy, String product, String mpsCapable) {
    assertThat(labels(node(gpu("MOCKMODEL")), file))
        .containsEntry("nvidia.com/gpu.replicas", replicas)
        .containsEntry("nvidia.com/gpu.sharing-strategy", strategy)
        .containsEntry("nvidia.com/gpu.product", product)
        .containsEntry("nvidia.com/mps.capable", mpsCapable);
  }

  @Test
  void gpuInMigModeIsNotOfferedAsAWhole() {
    assertThat(labels(node(gpu("MOCKMODEL").divided(THREE)), SHARED_TWICE))
        .containsEntry("nvidia.com/gpu.replicas", "0")
        .containsEntry("nvidia.com/gpu.sharing-strategy", "none")
        .containsEntry("nvidia.com/gpu.product", "MOCKMODEL")
        .containsEntry("nvidia.com/mig.capable", "true");
  }

  @Test
  void wholeGpuSpeaksForTheDividedOnesOfItsModel() {
    assertThat(labels(node(gpu("MOCKMODEL").divided(THREE), gpu("MOCKMODEL")), SHARED_TWICE))
        .containsEntry("nvidia.com/gpu.count", "2")
        .containsEntry("nvidia.com/gpu.replicas", "2")
        .containsEntry("nvidia.com/gpu.product", "MOCKMODEL-SHARED");
  }

  @Test
  void mpsCannotShareAGpuInMigMode() {
    var refused =
        GpuLabels.of(
            node(gpu("A"), gpu("A").divided()),
            MACHINE,
            Configs.labels("sharing: {mps: {resources: [{name: gpu, replicas: 2}]}}"),
            CLOCK);

    assertThat(refused)
        .isEqualTo(
            new Labelling.Refused(
                "sharing.mps cannot share GPU 1 (GPU-1), which is in MIG mode: switch MIG off or"
                    + " use sharing.timeSlicing"));
  }

  @Test
  void singleShowsMigDevicesAsGpus() {
    assertThat(labels(node(gpu("MOCKMODEL").divided(THREE, THREE)), single()))
        .containsEntry("nvidia.com/mig.strategy", "single")
        .containsEntry("nvidia.com/gpu.count", "2")
        .containsEntry("nvidia.com/gpu.replicas", "1")
        .containsEntry("nvidia.com/gpu.product", "MOCKMODEL-MIG-3g.20gb")
        .containsEntry("nvidia.com/gpu.memory", "20")
        .containsEntry("nvidia.com/gpu.multiprocessors", "42")
        .containsEntry("nvidia.com/gpu.slices.gi", "3")
        .containsEntry("nvidia.com/gpu.slices.ci", "3")
        .containsEntry("nvidia.com/gpu.engines.copy", "3")
        .containsEntry("nvidia.com/gpu.engines.decoder", "1")
        .containsEntry("nvidia.com/gpu.engines.encoder", "2")
        .containsEntry("nvidia.com/gpu.engines.jpeg", "3")
        .containsEntry("nvidia.com/gpu.engines.ofa", "4")
        .containsEntry("nvidia.com/gpu.family", "ampere");
  }

  @Test
  void singleSharesMigDevicesAsGpus() {
    assertThat(labels(node(gpu("MOCKMODEL").divided(THREE)), single() + "\n" + SHARED_TWICE))
        .containsEntry("nvidia.com/gpu.replicas", "2")
        .containsEntry("nvidia.com/gpu.product", "MOCKMODEL-MIG-3g.20gb-SHARED");
  }

  @Test
  void singleWithoutMigShowsWholeGpus() {
    assertThat(labels(node(gpu("A")), single()))
        .containsEntry("nvidia.com/gpu.product", "A")
        .containsEntry("nvidia.com/mig.strategy", "single")
        .doesNotContainKey("nvidia.com/gpu.multiprocessors");
  }

  @Test
  void singleRefusesEveryLayoutThatIsNotUniform() {
    List.of(
            node(gpu("A").divided(ONE, THREE)),
            node(gpu("A").divided(ONE), gpu("A").divided(THREE)),
            node(gpu("A").divided(ONE), gpu("A").divided()),
            node(gpu("A").divided()),
            node(gpu("B"), gpu("A").divided(ONE)))
        .forEach(inventory ->
            assertThat(labels(inventory, single()))
                .containsEntry("nvidia.com/gpu.product", "A-MIG-INVALID")
                .containsEntry("nvidia.com/gpu.count", "0")
                .containsEntry("nvidia.com/gpu.replicas", "0")
                .containsEntry("nvidia.com/gpu.sharing-strategy", "")
                .containsEntry("nvidia.com/gpu.memory", "0")
                .containsEntry("nvidia.com/gpu.family", "ampere")
                .doesNotContainKey("nvidia.com/gpu.slices.gi"));
  }

  @Test
  void mixedGivesEachProfileItsLabels() {
    assertThat(labels(node(gpu("A").divided(ONE, ONE, THREE), gpu("A").divided()), mixed()))
        .containsEntry("nvidia.com/mig.strategy", "mixed")
        .containsEntry("nvidia.com/mig-1g.5gb.count", "2")
        .containsEntry("nvidia.com/mig-1g.5gb.product", "A-MIG-1g.5gb")
        .containsEntry("nvidia.com/mig-3g.20gb.count", "1")
        .containsEntry("nvidia.com/mig-3g.20gb.replicas", "1")
        .containsEntry("nvidia.com/gpu.count", "2")
        .containsEntry("nvidia.com/gpu.replicas", "0")
        .doesNotContainKey("nvidia.com/mig-1g.5gb.family");
  }

  @Test
  void mixedSharesByTheNameOfTheProfile() {
    assertThat(
            labels(
                node(gpu("MOCKMODEL").divided(ONE)),
                mixed()
                    + "\nsharing: {timeSlicing: {resources: [{name: mig-1g.5gb, replicas: 2}]}}"))
        .containsEntry("nvidia.com/mig-1g.5gb.product", "MOCKMODEL-MIG-1g.5gb-SHARED")
        .containsEntry("nvidia.com/mig-1g.5gb.replicas", "2")
        .containsEntry("nvidia.com/mig-1g.5gb.sharing-strategy", "time-slicing");
  }

  @Test
  void twoModelsAreDescribedByTheOneWithTheMostGpus() {
    var fewFirst = labelling(node(gpu("A"), gpu("B"), gpu("B")), "");

    assertThat(fewFirst.labels())
        .containsEntry("nvidia.com/gpu.product", "B")
        .containsEntry("nvidia.com/gpu.count", "2");
    assertThat(fewFirst.warnings())
        .containsExactly("the node has several models (A, B); its labels describe B");
  }

  @Test
  void twoModelsOfEqualNumber_useTheFirst() {
    assertThat(labels(node(gpu("B"), gpu("A")), "")).containsEntry("nvidia.com/gpu.product", "B");
    assertThat(labels(node(gpu("A"), gpu("B")), "")).containsEntry("nvidia.com/gpu.product", "A");
  }

  @Test
  void modelWithAWholeGpuComesBeforeOneThatIsDivided() {
    assertThat(labels(node(gpu("A").divided(ONE), gpu("A").divided(ONE), gpu("B")), ""))
        .containsEntry("nvidia.com/gpu.product", "B")
        .containsEntry("nvidia.com/gpu.replicas", "1");
  }

  @Test
  void aWholeGpuIsTheExampleOfItsModel() {
    var divided = gpu("A").memory(200L << 20).divided(ONE);

    assertThat(labels(node(divided, gpu("A")), "")).containsEntry("nvidia.com/gpu.memory", "300");
    assertThat(labels(node(gpu("A"), divided), "")).containsEntry("nvidia.com/gpu.memory", "300");
  }

  @Test
  void aProfileOfTwoModelsIsDescribedByTheModelWithTheMostDevices() {
    assertThat(labels(node(gpu("A").divided(ONE), gpu("B").divided(ONE, ONE)), mixed()))
        .containsEntry("nvidia.com/mig-1g.5gb.product", "B-MIG-1g.5gb")
        .containsEntry("nvidia.com/mig-1g.5gb.count", "3");
    assertThat(labels(node(gpu("A").divided(ONE), gpu("B").divided(ONE)), mixed()))
        .containsEntry("nvidia.com/mig-1g.5gb.product", "A-MIG-1g.5gb");
  }

  @Test
  void aLayoutThatSingleRefusesIsNamedInAWarning() {
    assertThat(labelling(node(gpu("A"), gpu("A").divided(ONE, THREE)), single()).warnings())
        .containsExactly(
            "MIG strategy single needs all GPUs divided into one profile; this node has 1 of 2 GPUs"
                + " in MIG mode, with the profiles [1g.5gb, 3g.20gb]");
  }

  @Test
  void oneLostGpuTakesNoLabelsAlong() {
    var labelling = labelling(nodeWithLost(1, gpu("A"), gpu("A")), "");

    assertThat(labelling.labels())
        .containsEntry("nvidia.com/gpu.product", "A")
        .containsEntry("nvidia.com/gpu.count", "2");
    assertThat(labelling.warnings())
        .containsExactly(
            "GPU 1 cannot be read (nvmlDeviceGetUUID: GPU is lost); the labels are those of the"
                + " others");
  }

  @Test
  void valueThatTheGpuDoesNotReport_isLeftOut() {
    assertThat(labels(node(gpu("A").memory(0).capability(0, 0)), ""))
        .doesNotContainKeys(
            "nvidia.com/gpu.memory",
            "nvidia.com/gpu.family",
            "nvidia.com/gpu.compute.major",
            "nvidia.com/gpu.compute.minor");
  }

  @ParameterizedTest
  @CsvSource({
    "1,0,tesla",
    "2,1,fermi",
    "3,5,kepler",
    "4,0,undefined",
    "5,0,maxwell",
    "6,1,pascal",
    "7,0,volta",
    "7,5,turing",
    "8,0,ampere",
    "8,6,ampere",
    "8,9,ada-lovelace",
    "9,0,hopper",
    "10,0,blackwell",
    "11,0,undefined",
    "12,0,blackwell",
    "13,0,rubin",
    "-1,-1,undefined"
  })
  void familyFollowsFromTheComputeCapability(int major, int minor, String family) {
    assertThat(labels(node(gpu("A").capability(major, minor)), ""))
        .containsEntry("nvidia.com/gpu.family", family);
  }

  @Test
  void modeIsThatOfAllGpusAlike() {
    var compute = gpu("A");
    var graphics = gpu("A").pciClass(OptionalInt.of(0x030000));

    assertThat(mode(compute, compute)).isEqualTo("compute");
    assertThat(mode(graphics)).isEqualTo("graphics");
    assertThat(mode(compute, graphics)).isEqualTo("unknown");
    assertThat(mode(gpu("A").pciClass(OptionalInt.of(0x040300)))).isEqualTo("unknown");
    assertThat(mode(gpu("A").pciClass(OptionalInt.empty()))).isEqualTo("unknown");
    assertThat(mode(compute, gpu("A").pciClass(OptionalInt.empty()))).isEqualTo("unknown");
  }

  private static String mode(TestGpu... gpus) {
    return labels(node(gpus), "").getOrDefault("nvidia.com/gpu.mode", "");
  }

  @Test
  void cliqueIsShownWhereAllAttachedGpusShareIt() {
    var cluster = UUID.fromString("7B968A6D-C8AA-45E1-9E07-E1E51BE99C31");
    var attached = gpu("A").clique(cluster, 7);

    assertThat(labels(node(attached, gpu("A"), attached), ""))
        .containsEntry("nvidia.com/gpu.clique", "7b968a6d-c8aa-45e1-9e07-e1e51be99c31.7");
    var several = labelling(node(attached, gpu("A").clique(cluster, 8)), "");
    assertThat(several.labels()).doesNotContainKey("nvidia.com/gpu.clique");
    assertThat(several.warnings())
        .containsExactly("the GPUs belong to more than one NVLink clique; no label says which");
  }

  @Test
  void virtualGpus_reportTheDriverOfTheirHost() {
    var labels =
        VgpuLabels.of(
            List.of(new VirtualGpu.Absent(), new VirtualGpu.Present("460.16", "r460_00")));

    assertThat(labels)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "nvidia.com/vgpu.present", "true",
                "nvidia.com/vgpu.host-driver-version", "460.16",
                "nvidia.com/vgpu.host-driver-branch", "r460_00"));
    assertThat(VgpuLabels.of(List.of(new VirtualGpu.Unknown("no privilege")))).isEmpty();
  }

  @Test
  void machineThatCannotBeReadIsUnknown() {
    var facts = new MachineFacts(Optional.empty(), List.of());
    var labels = GpuLabels.of(node(gpu("A")), facts, Configs.labels(""), CLOCK);

    assertThat(((Labels) labels).labels()).containsEntry("nvidia.com/gpu.machine", "unknown");
  }

  @Test
  void driverVersionOfAnotherFormIsShownAsFarAsItGoes() {
    var inventory =
        new Inventory(
            new DriverVersion("550.163.01.7", 12, 4),
            node(gpu("A")).gpus(),
            List.of(),
            Topology.UNKNOWN);

    assertThat(labels(inventory, ""))
        .containsEntry("nvidia.com/cuda.driver-version.full", "550.163.01.7")
        .containsEntry("nvidia.com/cuda.driver-version.revision", "01");
  }

  @Test
  void migCapableIsTrueWithOneCapableGpu() {
    assertThat(labels(node(gpu("A"), gpu("A").mig(new Mig.Disabled(Set.of()))), ""))
        .containsEntry("nvidia.com/mig.capable", "true");
  }

  private static String single() {
    return "flags: {migStrategy: single}";
  }

  private static String mixed() {
    return "flags: {migStrategy: mixed}";
  }

  private static SortedMap<String, String> labels(Inventory inventory, String file) {
    return labelling(inventory, file).labels();
  }

  private static Labels labelling(Inventory inventory, String file) {
    return (Labels) GpuLabels.of(inventory, MACHINE, Configs.labels(file), CLOCK);
  }
}
