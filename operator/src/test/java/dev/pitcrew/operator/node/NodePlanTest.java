package dev.pitcrew.operator.node;

import static dev.pitcrew.operator.node.NodeText.annotated;
import static dev.pitcrew.operator.node.NodeText.node;
import static dev.pitcrew.operator.node.NodeText.parse;
import static dev.pitcrew.operator.node.NodeText.written;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.node.DriverStatus;
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
            Optional.empty());

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
            Optional.empty());

    assertThat(
            written(node, NodePlan.plan(node, policy))
                .annotations()
                .get("nvidia.com/gpu-driver-upgrade-enabled"))
        .isEqualTo(after);
  }

  @ParameterizedTest
  @CsvSource({"training, training", "broken, broken", "gone, ", ", "})
  void whatAnNvidiaDriverHasBroughtRunsOnWhenDriversAreNotLeftToItAnyMore(
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

  @Test
  void whatAProgramFoundIsTakenBackAtTheEnd() {
    var found = NodeText.reported(node(GPU + "~driver=pre-installed"), true, DriverStatus.ABSENT);
    var said = NodeText.reported(node(GPU + "~driver=pre-installed"), false, DriverStatus.ABSENT);

    assertThat(written(found, cleanup(found)).labels()).isEqualTo(parse(GPU));
    assertThat(cleanup(said).isEmpty()).isTrue();
  }

  @Test
  void aPauseIsEndedOnlyWhereNobodyElseWould() {
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
  void cleanupTakesBackOnlyWhatWeSet() {
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
        .as("as long as nobody knows")
        .containsKeys(NodeText.key("~driver"), NodeText.key(":gpu-operator.driver.owner"));
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
        Optional.empty());
  }
}
