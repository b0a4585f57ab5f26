package dev.pitcrew.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.clusterpolicy.ClusterPolicy;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.FleetPolicy;
import dev.pitcrew.api.fleetpolicy.FleetPolicySpec;
import dev.pitcrew.api.gpucluster.GpuCluster;
import dev.pitcrew.api.gpucluster.GpuClusterSpec;
import dev.pitcrew.api.node.GpuNode;
import dev.pitcrew.api.node.MigBusy;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.api.node.RolloutPhase;
import dev.pitcrew.api.nvidiadriver.NvidiaDriver;
import dev.pitcrew.api.nvidiadriver.NvidiaDriverSpec;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the readers say where a document says nothing.
class AbsentMeaningTest {
  private static final ClusterPolicySpec NO_POLICY = policy("{}");

  static Stream<OperandSpec> operandsThatAreOn() {
    return Stream.of(
        NO_POLICY.driver(),
        NO_POLICY.toolkit(),
        NO_POLICY.devicePlugin(),
        NO_POLICY.dcgm(),
        NO_POLICY.dcgmExporter(),
        NO_POLICY.gfd(),
        NO_POLICY.migManager(),
        NO_POLICY.validator());
  }

  static Stream<OperandSpec> operandsThatAreOff() {
    return Stream.of(
        NO_POLICY.nodeStatusExporter(),
        NO_POLICY.gds(),
        NO_POLICY.gdrcopy(),
        NO_POLICY.vfioManager(),
        NO_POLICY.vgpuManager(),
        NO_POLICY.vgpuDeviceManager(),
        NO_POLICY.sandboxDevicePlugin(),
        NO_POLICY.kataSandboxDevicePlugin(),
        NO_POLICY.ccManager(),
        NO_POLICY.kataManager());
  }

  @ParameterizedTest
  @MethodSource("operandsThatAreOn")
  void theseOperandsAreOnUnlessDisabled(OperandSpec operand) {
    assertThat(operand.isEnabled()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("operandsThatAreOff")
  void theseOperandsAreOffUnlessEnabled(OperandSpec operand) {
    assertThat(operand.isEnabled()).isFalse();
  }

  @Test
  void theKataManagerStaysOffWhateverItSays() {
    assertThat(policy("{'kataManager':{'enabled':true}}").kataManager().isEnabled()).isFalse();
  }

  @Test
  void switchesOfAClusterPolicyHaveTheReferencesDefaults() {
    assertThat(NO_POLICY.cdi().isEnabled()).isTrue();
    assertThat(NO_POLICY.cdi().isNriPluginEnabled()).isFalse();
    assertThat(NO_POLICY.psa().isEnabled()).isFalse();
    assertThat(NO_POLICY.sandboxWorkloads().isEnabled()).isFalse();
    assertThat(NO_POLICY.operator().isOcpDriverToolkitWanted()).isTrue();
    assertThat(NO_POLICY.operator().metrics().serviceMonitor().isEnabled()).isFalse();
    assertThat(NO_POLICY.driver().isPrecompiled()).isFalse();
    assertThat(NO_POLICY.driver().isLeftToNvidiaDrivers()).isFalse();
    assertThat(NO_POLICY.driver().upgradePolicy().isAutoUpgrade()).isFalse();
    assertThat(NO_POLICY.driver().licensingConfig().isNlsEnabled()).isFalse();
    assertThat(NO_POLICY.dcgmExporter().hpcJobMapping().directoryOrDefault())
        .isEqualTo("/var/lib/dcgm-exporter/job-mapping");
  }

  @Test
  void hostMofedCountsOnlyWithRdma() {
    assertThat(policy("{'driver':{'rdma':{'useHostMofed':true}}}").driver().rdma().isHostMofed())
        .isFalse();
    assertThat(
            policy("{'driver':{'rdma':{'enabled':true,'useHostMofed':true}}}")
                .driver()
                .rdma()
                .isHostMofed())
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Always", "Never", "IfNotPresent"})
  void pullPoliciesAreTaken(String policy) {
    assertThat(toolkitWithPullPolicy(policy)).isEqualTo(policy);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "always", "Sometimes"})
  void invalidPullPolicy_countsAsIfNotPresent(String policy) {
    assertThat(toolkitWithPullPolicy(policy)).isEqualTo("IfNotPresent");
  }

  @Test
  void gpuCluster_hasNeitherExporterNorDcgm_byDefault() {
    assertThat(cluster("{}").dcgm().isEnabled()).isFalse();
    assertThat(cluster("{'dcgm':{}}").dcgm().isEnabled()).isFalse();
    assertThat(cluster("{}").dcgmExporter().isEnabled()).isFalse();
    assertThat(cluster("{'dcgmExporter':{}}").dcgmExporter().isEnabled()).isTrue();
  }

  @Test
  void computeDomainsAreOnWhereTheirSectionIs() {
    assertThat(cluster("{'draDriver':{}}").draDriver().computeDomains().isEnabled()).isFalse();
    assertThat(
            cluster("{'draDriver':{'computeDomains':{}}}").draDriver().computeDomains().isEnabled())
        .isTrue();
  }

  @Test
  void nvidiaDriver_upgradesAutomatically_unlikeAClusterPolicy() {
    var policy = driver("{}").upgradePolicy();

    assertThat(policy.isAutoUpgrade()).isTrue();
    assertThat(policy.maxParallelUpgradesOrDefault()).isEqualTo(1);
    assertThat(policy.maxUnavailableOrDefault()).isEqualTo(IntOrString.of("25%"));
    assertThat(policy.podDeletion().timeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(policy.waitForCompletion().timeout()).isZero();
    assertThat(policy.drain().isEnabled()).isFalse();
    assertThat(driver("{'upgradePolicy':{'autoUpgrade':false}}").upgradePolicy().isAutoUpgrade())
        .isFalse();
  }

  @Test
  void anNvidiaDriverServesNodesWithGpusAndItsLicenceIsNls() {
    assertThat(driver("{}").nodeSelectorOrDefault())
        .isEqualTo(Map.of("nvidia.com/gpu.present", "true"));
    assertThat(driver("{}").licensingConfig().isNlsEnabled()).isTrue();
    assertThat(driver("{}").isDefault()).isFalse();
    assertThat(driver("{}").isEnabled()).isTrue();
  }

  @Test
  void anEmptyFleetPolicyChangesNothing() {
    var spec = fleet("{}");

    assertThat(spec.agent().provides(AgentFunction.LABELS)).isFalse();
    assertThat(spec.startupTaint()).isNull();
    assertThat(spec.isStartupTaintWanted()).isFalse();
    assertThat(spec.mig().busyOrDefault()).isEqualTo(MigBusy.WAIT);
    assertThat(spec.rollout().isPaused()).isFalse();
    assertThat(spec.rollout().isHaltedByFailedHealth()).isTrue();
    assertThat(spec.rollout().canary().nodesOrDefault()).isZero();
    assertThat(spec.health().taintLevel()).isEmpty();
  }

  @Test
  void aFunctionIsTheAgentsOnlyWhileTheAgentIsOn() {
    assertThat(fleet("{'agent':{'functions':['mig']}}").agent().provides(AgentFunction.MIG))
        .isFalse();
    var agent = fleet("{'agent':{'enabled':true,'functions':['mig']}}").agent();
    assertThat(agent.provides(AgentFunction.MIG)).isTrue();
    assertThat(agent.provides(AgentFunction.DRA)).isFalse();
  }

  @Test
  void aMaintenanceWindowOpensInItsTimeZone() {
    var window =
        fleet(
                "{'rollout':{'maintenanceWindows':[{'days':['Sunday'],'start':'22:30','durationMinutes':90}]}}")
            .rollout()
            .maintenanceWindows()
            .getFirst();

    assertThat(window.days().getFirst().dayOfWeek()).isEqualTo(DayOfWeek.SUNDAY);
    assertThat(window.opensAt()).isEqualTo(LocalTime.of(22, 30));
    assertThat(window.duration()).isEqualTo(Duration.ofMinutes(90));
    assertThat(window.timeZoneOrDefault()).isEqualTo("Etc/UTC");
  }

  @Test
  void aGpuNodeWithoutStatusIsIdleAndSaysNothing() {
    var status = read("{}", GpuNode.class).status();

    assertThat(status.rollout().phase()).isEqualTo(RolloutPhase.IDLE);
    assertThat(status.condition(NodeCondition.READY)).isEmpty();
  }

  private static String toolkitWithPullPolicy(String policy) {
    return policy("{'toolkit':{'imagePullPolicy':'%s'}}".formatted(policy))
        .toolkit()
        .imagePullPolicyOrDefault();
  }

  private static ClusterPolicySpec policy(String spec) {
    return read("{'spec':" + spec + "}", ClusterPolicy.class).spec();
  }

  private static GpuClusterSpec cluster(String spec) {
    return read("{'spec':" + spec + "}", GpuCluster.class).spec();
  }

  private static NvidiaDriverSpec driver(String spec) {
    return read("{'spec':" + spec + "}", NvidiaDriver.class).spec();
  }

  private static FleetPolicySpec fleet(String spec) {
    return read("{'spec':" + spec + "}", FleetPolicy.class).spec();
  }

  private static <T> T read(String json, Class<T> type) {
    return ApiJson.read(json.replace('\'', '"'), type);
  }
}
