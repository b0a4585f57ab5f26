// Long because every label that the operator writes on a node is here, with all that decides it.
package dev.pitcrew.operator.node;

import static dev.pitcrew.operator.node.NodeText.annotated;
import static dev.pitcrew.operator.node.NodeText.node;
import static dev.pitcrew.operator.node.NodeText.parse;
import static dev.pitcrew.operator.node.NodeText.written;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.node.DriverOwner;
import dev.pitcrew.api.node.DriverPhase;
import dev.pitcrew.api.node.DriverStatus;
import dev.pitcrew.operator.policy.NodePolicies;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodePlanTest {
  private static final String CONTAINER =
      " ~driver ~gpu-feature-discovery ~container-toolkit ~device-plugin ~dcgm ~dcgm-exporter"
          + " ~node-status-exporter ~operator-validator ~client ";
  private static final String PASSTHROUGH =
      " ~sandbox-validator ~vfio-manager ~kata-manager ~cc-manager ~client ";
  private static final String VGPU =
      " ~sandbox-device-plugin ~vgpu-manager ~vgpu-device-manager ~sandbox-validator ~cc-manager ~client ";
  private static final String GPU = " @pci-10de.present :gpu.present ";

  private static final DriverOwners OWNERS =
      new DriverOwners(
          List.of(
              new DriverClaim(
                  "training",
                  Map.of("role", "training"),
                  false,
                  true,
                  new DriverDemand("NVIDIADriver training", "580.65.06", false)),
              new DriverClaim("zonal", Map.of("zone", "a"), false, false, DriverDemand.NONE),
              new DriverClaim("default", Map.of(), true, true, DriverDemand.NONE)),
          Set.of("broken"));

  private static final NodePolicy CONTAINERS = policy(false, SandboxMode.KUBEVIRT);
  private static final NodePolicy KUBEVIRT = policy(true, SandboxMode.KUBEVIRT);
  private static final NodePolicy KATA = policy(true, SandboxMode.KATA);

  @ParameterizedTest
  @CsvSource({
    "@pci-10de.present, true",
    "@pci-0302_10de.present, true",
    "@pci-0300_10de.present, true",
    "@pci-10de.present :gpu.present=false, true",
    "@pci-15b3.present, ",
    "@pci-10de.present=false, ",
    ":gpu.present, false",
    ":gpu.present=false, false",
    "@pci-10de.present=false :gpu.present, false",
  })
  void presenceFollowsThePciDevice(String labels, String present) {
    var after = written(node(labels), NodePlan.plan(node(labels), CONTAINERS));

    assertThat(after.labels().get("nvidia.com/gpu.present")).isEqualTo(present);
  }

  @ParameterizedTest
  @CsvSource({
    "'', true, true, true",
    "kernel-version.full=6.1.0, true, true, true",
    "pitcrew.dev/gpu-detected=true :gpu.present, false, true, true",
    "pitcrew.dev/gpu-detected=true @pci-10de.present :gpu.present, true, , true",
    "@pci-10de.present :gpu.present, true, , true",
    ":gpu.present, false, , false",
    "'', false, , ",
  })
  void aDetectedGpuMakesAGpuNodeUntilFeatureDiscoverySaysSo(
      String labels, boolean isReported, @Nullable String detected, @Nullable String present) {
    NodeFacts node = node(labels).withGpuReported(isReported);
    var after = written(node, NodePlan.plan(node, CONTAINERS)).labels();

    assertThat(after.get("pitcrew.dev/gpu-detected")).isEqualTo(detected);
    assertThat(after.get("nvidia.com/gpu.present")).isEqualTo(present);
    assertThat(after.get("nvidia.com/gpu.deploy.device-plugin"))
        .isEqualTo("true".equals(present) ? "true" : null);
  }

  @Test
  void labelsOfTheDetector_areRemovedWithThePolicy() {
    NodeFacts node = node("pitcrew.dev/gpu-detected=true :gpu.present").withGpuReported(true);

    assertThat(written(node, NodePlan.cleanup(node, Optional.of(DriverOwners.NONE))).labels())
        .containsOnlyKeys("nvidia.com/gpu.present");
  }

  @Test
  void containersGetTheContainerOperands() {
    labelsBecome(CONTAINERS, "@pci-10de.present", GPU + CONTAINER);
  }

  @Test
  void containersAreForEveryNodeWhileSandboxWorkloadsAreOff() {
    labelsBecome(
        CONTAINERS,
        GPU + ":gpu.workload.config=vm-passthrough ~vfio-manager ~sandbox-validator ~client",
        GPU + ":gpu.workload.config=vm-passthrough" + CONTAINER);
  }

  @Test
  void workloadLabelChoosesTheOperands() {
    labelsBecome(
        KUBEVIRT,
        GPU + CONTAINER + ":gpu.workload.config=vm-vgpu",
        GPU + VGPU + ":gpu.workload.config=vm-vgpu");
    labelsBecome(
        KUBEVIRT,
        GPU + VGPU + ":gpu.workload.config=container",
        GPU + CONTAINER + ":gpu.workload.config=container");
  }

  @Test
  void passthroughPluginDependsOnTheMode() {
    labelsBecome(KUBEVIRT, GPU, GPU + PASSTHROUGH + "~sandbox-device-plugin");
    labelsBecome(KATA, GPU, GPU + PASSTHROUGH + "~kata-sandbox-device-plugin");
    labelsBecome(
        KATA,
        GPU + PASSTHROUGH + "~sandbox-device-plugin",
        GPU + PASSTHROUGH + "~kata-sandbox-device-plugin");
  }

  @Test
  void invalidWorkloadFallsBackToTheDefaultWithAWarning() {
    var node = node(GPU + ":gpu.workload.config=nonsense");
    var change = NodePlan.plan(node, KUBEVIRT);

    assertThat(change.warnings())
        .containsExactly(
            "Node gpu-1: label nvidia.com/gpu.workload.config has the invalid value \"nonsense\""
                + " (valid: container, vm-passthrough, vm-vgpu); the default vm-passthrough is used");
    assertThat(written(node, change).labels()).containsAllEntriesOf(parse(PASSTHROUGH));
  }

  @ParameterizedTest
  @CsvSource({
    ":gpu.present @pci-10de.present :gpu.workload.config=nonsense, false",
    ":gpu.present @pci-10de.present, true",
    ":gpu.present @pci-10de.present :gpu.workload.config=vm-vgpu, true",
    ":gpu.present @pci-10de.present :gpu.workload.config=nonsense ~operands=false, true",
    ":gpu.workload.config=nonsense, true",
  })
  void warningsAreOnlyForLabelsThatDecideSomething(String labels, boolean sandbox) {
    assertThat(NodePlan.plan(node(labels), sandbox ? KUBEVIRT : CONTAINERS).warnings()).isEmpty();
  }

  @Test
  void optingOutRemovesEveryOperandAndKeepsThePresence() {
    labelsBecome(
        CONTAINERS,
        GPU + CONTAINER + "~operands=false ~mig-manager ~dra-driver ~driver=paused-for-mig-change",
        GPU + "~operands=false");
    labelsBecome(CONTAINERS, GPU + "~operands=true", GPU + "~operands=true" + CONTAINER);
  }

  @Test
  void nodeThatLostItsGpuLosesEveryOperand() {
    labelsBecome(
        CONTAINERS,
        ":gpu.present ~dcgm-exporter=false ~mig-manager ~kata-sandbox-device-plugin" + CONTAINER,
        ":gpu.present=false");
  }

  @Test
  void nodeWithoutGpuIsLeftAlone() {
    assertThat(NodePlan.plan(node("@kernel-version.full=6.1 role=web"), CONTAINERS).isEmpty())
        .isTrue();
  }

  @Test
  void valuesOfOthersHoldAndEmptyOnesAreFilled() {
    String others = " ~dcgm-exporter=false ~driver=paused-for-driver-upgrade ";
    labelsBecome(
        CONTAINERS, GPU + CONTAINER + others + "~client=", GPU + CONTAINER + others + "~client");
    labelsBecome(
        CONTAINERS,
        GPU + CONTAINER + "~driver=pre-installed",
        GPU + CONTAINER + "~driver=pre-installed");
  }

  @Test
  void operandsOfOtherWorkloadsGoWhateverTheirValue() {
    labelsBecome(
        CONTAINERS, GPU + "~vfio-manager=paused ~dra-driver ~dcgm-dra=no", GPU + CONTAINER);
  }

  @Test
  void labelsOfOthersUnderTheSamePrefixStay() {
    labelsBecome(CONTAINERS, GPU + "~my-own=yes", GPU + CONTAINER + "~my-own=yes");
  }

  @Test
  void migCapableContainersGetTheMigManagerAndItsDefault() {
    labelsBecome(
        CONTAINERS,
        GPU + ":mig.capable",
        GPU + CONTAINER + ":mig.capable ~mig-manager :mig.config=all-disabled");
    labelsBecome(
        KATA,
        GPU
            + ":mig.capable :mig.config=all-1g.5gb :gpu.workload.config=vm-passthrough ~mig-manager",
        GPU
            + PASSTHROUGH
            + "~kata-sandbox-device-plugin :mig.capable :mig.config=all-1g.5gb"
            + " :gpu.workload.config=vm-passthrough");
  }

  @Test
  void aGpuClusterGivesNodesTheOperandsThatUseClaims() {
    var claims = "~driver ~dra-validator ~dcgm-dra ~dcgm-exporter-dra ";
    labelsBecome(
        NodePolicies.OF_GPU_CLUSTER,
        GPU + CONTAINER + ":mig.capable ~mig-manager ~vgpu-manager",
        GPU + claims + "~dra-driver :mig.capable ~vgpu-manager");
    labelsBecome(
        NodePolicies.OF_GPU_CLUSTER,
        GPU + "~operands=false ~dra-driver=paused",
        GPU + claims + "~operands=false ~dra-driver=paused");
    labelsBecome(
        NodePolicies.OF_GPU_CLUSTER,
        ":gpu.present " + claims + "~dra-driver",
        ":gpu.present=false");
  }

  @Test
  void migManagerStaysOnContainerNodesThatCannotPartition() {
    labelsBecome(CONTAINERS, GPU + "~mig-manager", GPU + CONTAINER + "~mig-manager");
  }

  @ParameterizedTest
  @CsvSource({
    "true, all-disabled, '', all-disabled",
    "true, all-disabled, :mig.config=, all-disabled",
    "true, all-disabled, :mig.config=all-1g.10gb, all-1g.10gb",
    "true, all-balanced, '', ",
    "true, '', '', ",
    "false, all-disabled, '', ",
  })
  void onlyTheDisabledDefaultIsHandedOut(
      boolean migManager, String defaultConfig, String labels, String migConfig) {
    var node = node(GPU + ":mig.capable " + labels);
    var policy =
        new NodePolicy(
            false,
            SandboxMode.KUBEVIRT,
            WorkloadConfig.CONTAINER,
            migManager,
            defaultConfig,
            true,
            DriverDemand.NONE,
            false,
            Optional.empty(),
            false);

    assertThat(written(node, NodePlan.plan(node, policy)).labels().get("nvidia.com/mig.config"))
        .isEqualTo(migConfig);
  }

  @ParameterizedTest
  @CsvSource({
    // sandbox, NVIDIADriver objects, wanted, node, annotation before, after
    "false, false, true, @pci-10de.present, , true",
    "false, false, true, @pci-10de.present, other, true",
    "false, false, false, @pci-10de.present, true, ",
    "true, true, false, @pci-10de.present, true, ",
    "false, true, true, @pci-10de.present, , ",
    "false, true, false, @pci-10de.present, true, true",
    "false, false, true, role=web, , ",
    "false, false, true, :gpu.present, true, ",
  })
  void autoUpgradeAnnotationFollowsThePolicyThatDecides(
      boolean sandbox,
      boolean nvidiaDriver,
      boolean wanted,
      String labels,
      String before,
      String after) {
    var node = annotated(labels, before == null ? "" : ":gpu-driver-upgrade-enabled=" + before);
    var policy =
        new NodePolicy(
            sandbox,
            SandboxMode.KUBEVIRT,
            WorkloadConfig.CONTAINER,
            false,
            "",
            wanted,
            DriverDemand.NONE,
            nvidiaDriver,
            Optional.empty(),
            false);

    assertThat(
            written(node, NodePlan.plan(node, policy))
                .annotations()
                .get("nvidia.com/gpu-driver-upgrade-enabled"))
        .isEqualTo(after);
  }

  @ParameterizedTest
  @CsvSource({"training, training", "broken, broken", "gone, ", ", "})
  void driverOfAnNvidiaDriver_runsOnAfterDriversReturnToTheClusterPolicy(
      @Nullable String owner, @Nullable String after) {
    var owners =
        new DriverOwners(
            List.of(
                new DriverClaim("training", Map.of(), false, true, DriverDemand.NONE),
                new DriverClaim("default", Map.of(), true, true, DriverDemand.NONE)),
            Set.of("broken"));
    var node = node(GPU + (owner == null ? "" : ":gpu-operator.driver.owner=" + owner));
    var change = NodePlan.plan(node, CONTAINERS.with(Optional.of(owners)));

    assertThat(written(node, change).labels().get("nvidia.com/gpu-operator.driver.owner"))
        .isEqualTo(after);
  }

  @ParameterizedTest
  @CsvSource({
    // labels of the node, its owner afterwards
    "role=training, training",
    "role=web, default",
    "'', default",
    "role=training :gpu-operator.driver.owner=default, training",
    "role=training zone=a, ",
    "role=training zone=a :gpu-operator.driver.owner=zonal, zonal",
    "role=training zone=a :gpu-operator.driver.owner=gone, ",
    "role=training :gpu-operator.driver.owner=broken, broken",
  })
  void theNvidiaDriverThatSelectsANodeOwnsItAndElseTheDefault(
      String labels, @Nullable String owner) {
    var node = node(GPU + labels);

    assertThat(
            written(node, NodePlan.plan(node, nvidiaDrivers(Optional.of(OWNERS))))
                .labels()
                .get("nvidia.com/gpu-operator.driver.owner"))
        .isEqualTo(owner);
  }

  @ParameterizedTest
  @CsvSource({
    // labels of the node, annotation before, after
    "role=training, , true",
    "zone=a, true, ",
    "role=training zone=a, true, true",
    "role=training zone=a, , ",
    ":gpu-operator.driver.owner=broken, true, true",
  })
  void theNvidiaDriverOfANodeSaysWhetherItIsUpgradedAutomatically(
      String labels, @Nullable String before, @Nullable String after) {
    var node =
        annotated(GPU + labels, before == null ? "" : ":gpu-driver-upgrade-enabled=" + before);

    assertThat(
            written(node, NodePlan.plan(node, nvidiaDrivers(Optional.of(OWNERS))))
                .annotations()
                .get("nvidia.com/gpu-driver-upgrade-enabled"))
        .isEqualTo(after);
  }

  @Test
  void theNvidiaDriverOfANodeSaysWhichDriverIsWantedThere() {
    NodePolicy policy = nvidiaDrivers(Optional.of(OWNERS));

    assertThat(NodePlan.decision(withHostDriver("role=training"), policy))
        .isInstanceOfSatisfying(
            DriverDecision.Refuse.class,
            it -> assertThat(it.wantedBy()).isEqualTo("NVIDIADriver training"));
    assertThat(NodePlan.decision(withHostDriver("role=training zone=a"), policy))
        .as("no NVIDIADriver serves it")
        .isInstanceOf(DriverDecision.Install.class);
    assertThat(NodePlan.decision(withHostDriver("role=training"), nvidiaDrivers(Optional.empty())))
        .as("they have not been read")
        .isInstanceOf(DriverDecision.Undecided.class);
  }

  @ParameterizedTest
  @CsvSource({
    // label of the driver, whether a program wrote it, driver of the host, label afterwards
    "true, true, 580.65.06, pre-installed",
    "true, true, 570.12, pre-installed",
    "true, true, '', true",
    "true, false, 570.12, pre-installed",
    "pre-installed, true, 580.65.06, pre-installed",
    "pre-installed, true, '', true",
    "pre-installed, false, '', pre-installed",
    "false, true, '', false",
    "paused-for-driver-upgrade, true, 570.12, paused-for-driver-upgrade",
  })
  void aDriverOfTheHostKeepsDriverContainersAwayUntilItIsGone(
      String before, boolean isAutomatic, String version, String after) {
    var report =
        version.isEmpty()
            ? new DriverStatus(null, null, DriverPhase.ABSENT, Map.of())
            : new DriverStatus(version, DriverOwner.HOST, DriverPhase.READY, Map.of());
    var node = NodeText.reported(node(GPU + "~driver=" + before), isAutomatic, report);
    var policy =
        new NodePolicy(
            false,
            SandboxMode.KUBEVIRT,
            WorkloadConfig.CONTAINER,
            true,
            "",
            true,
            new DriverDemand("ClusterPolicy", "580.65.06", false),
            false,
            Optional.empty(),
            false);

    assertThat(
            written(node, NodePlan.plan(node, policy)).labels().get("nvidia.com/gpu.deploy.driver"))
        .isEqualTo(after);
  }

  @Test
  void aChangeOfALabelOrAnAnnotationIsNotEmptyAndAWarningAloneIs() {
    Map<String, String> some = Map.of("key", "value");

    assertThat(new NodeChange(some, Map.of(), List.of()).isEmpty()).isFalse();
    assertThat(new NodeChange(Map.of(), some, List.of()).isEmpty()).isFalse();
    assertThat(new NodeChange(Map.of(), Map.of(), List.of("warning")).isEmpty()).isTrue();
  }

  @Test
  void labelsOfADetectedGpu_areRemovedAtTheEnd() {
    var found = NodeText.reported(node(GPU + "~driver=pre-installed"), true, DriverStatus.ABSENT);
    var said = NodeText.reported(node(GPU + "~driver=pre-installed"), false, DriverStatus.ABSENT);

    assertThat(written(found, cleanup(found)).labels()).isEqualTo(parse(GPU));
    assertThat(cleanup(said).isEmpty()).isTrue();
  }

  @Test
  void pause_isEndedOnlyWhereNoOtherOwnerEndsIt() {
    String word = "paused-for-driver-upgrade";
    var paused =
        node(
            GPU
                + CONTAINER
                + "~device-plugin="
                + word
                + " ~dcgm=custom_"
                + word
                + " ~client=false_"
                + word
                + " ~my-own="
                + word
                + " team="
                + word);
    assertThat(NodePlan.plan(paused, CONTAINERS).labels()).isEmpty();
    assertThat(cleanup(paused).labels())
        .doesNotContainKeys(
            NodeText.key("~device-plugin"), NodeText.key("~dcgm"), NodeText.key("~my-own"));

    var left = paused.withPauseLeft(true);
    var after = written(left, NodePlan.plan(left, CONTAINERS));
    assertThat(after.labels())
        .isEqualTo(parse(GPU + CONTAINER + "~dcgm=custom ~client=false ~my-own team=" + word));
    assertThat(NodePlan.plan(after, CONTAINERS).isEmpty()).isTrue();
    assertThat(written(left, cleanup(left)).labels())
        .isEqualTo(parse(GPU + "~dcgm=custom ~client=false ~my-own team=" + word));
  }

  @Test
  void cleanup_removesOnlyWhatWeSet() {
    var node =
        annotated(
            GPU
                + CONTAINER
                + "~mig-manager= ~dcgm=false ~operands=false ~my-own :mig.config=all-disabled",
            ":gpu-driver-upgrade-enabled :gpu-driver-upgrade-requested");
    var after = written(node, cleanup(node));

    assertThat(after.labels())
        .isEqualTo(parse(GPU + "~dcgm=false ~operands=false ~my-own :mig.config=all-disabled"));
    assertThat(after.annotations()).isEqualTo(parse(":gpu-driver-upgrade-requested"));
    assertThat(cleanup(after).isEmpty()).isTrue();
  }

  /// As where the operator starts before the first ClusterPolicy is there.
  @Test
  void cleanup_leavesTheMigManagerThatAUserAskedForOnAGpuWithoutMig() {
    var asked = annotated(GPU + "~mig-manager", "");
    var capable = annotated(GPU + "~mig-manager :mig.capable", "");

    assertThat(cleanup(asked).isEmpty()).isTrue();
    assertThat(written(capable, cleanup(capable)).labels()).isEqualTo(parse(GPU + ":mig.capable"));
  }

  @ParameterizedTest
  @CsvSource({"training, true", "broken, true", "gone, false"})
  void theDriverOfAnNvidiaDriverThatIsStillThereRunsOn(String owner, boolean runsOn) {
    var owners =
        new DriverOwners(
            List.of(new DriverClaim("training", Map.of(), false, true, DriverDemand.NONE)),
            Set.of("broken"));
    var labels = GPU + CONTAINER + ":gpu-operator.driver.owner=" + owner;
    var node = annotated(labels, ":gpu-driver-upgrade-enabled");

    var after = written(node, NodePlan.cleanup(node, Optional.of(owners)));

    assertThat(after.labels())
        .isEqualTo(parse(GPU + (runsOn ? "~driver :gpu-operator.driver.owner=" + owner : "")));
    assertThat(after.annotations().isEmpty()).isNotEqualTo(runsOn);
    assertThat(written(node, NodePlan.cleanup(node, Optional.empty())).labels())
        .as("as long as it is unknown")
        .containsKeys(NodeText.key("~driver"), NodeText.key(":gpu-operator.driver.owner"));
  }

  private static NodeFacts withHostDriver(String labels) {
    return NodeText.reported(
        node(GPU + "~driver " + labels),
        true,
        new DriverStatus("570.12", DriverOwner.HOST, DriverPhase.READY, Map.of()));
  }

  /// Where drivers are left to NVIDIADrivers.
  private static NodePolicy nvidiaDrivers(Optional<DriverOwners> owners) {
    return new NodePolicy(
        false,
        SandboxMode.KUBEVIRT,
        WorkloadConfig.CONTAINER,
        true,
        "",
        false,
        DriverDemand.NONE,
        true,
        owners,
        false);
  }

  private static NodeChange cleanup(NodeFacts node) {
    return NodePlan.cleanup(node, Optional.of(DriverOwners.NONE));
  }

  private static void labelsBecome(NodePolicy policy, String before, String after) {
    var node = node(before);
    assertThat(written(node, NodePlan.plan(node, policy)).labels()).isEqualTo(parse(after));
  }

  private static NodePolicy policy(boolean sandbox, SandboxMode mode) {
    var defaultWorkload = sandbox ? WorkloadConfig.VM_PASSTHROUGH : WorkloadConfig.CONTAINER;
    return new NodePolicy(
        sandbox,
        mode,
        defaultWorkload,
        true,
        "all-disabled",
        !sandbox,
        DriverDemand.NONE,
        false,
        Optional.empty(),
        false);
  }
}
