package dev.pitcrew.agent.settings;

import static dev.pitcrew.agent.settings.NodeFunction.DEVICE_PLUGIN;
import static dev.pitcrew.agent.settings.NodeFunction.DRA;
import static dev.pitcrew.agent.settings.NodeFunction.FEATURE_LABELS;
import static dev.pitcrew.agent.settings.NodeFunction.GPU_LABELS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.settings.FunctionState.Off;
import dev.pitcrew.agent.settings.FunctionState.Paused;
import dev.pitcrew.device.dra.ConsumableShares;
import dev.pitcrew.device.dra.DeviceTaint;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Which functions run where.
class FunctionStateTest {

  @ParameterizedTest
  @EnumSource(NodeFunction.class)
  void everyFunctionRunsWhereTheAgentProvidesItAndItsOperandMay(NodeFunction function) {
    var settings = Said.everything().policy("{'nodeStatusExporter': {'enabled': true}}").settings();

    assertThat(settings.isOn(function)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "DEVICE_PLUGIN, labels, FleetPolicy spec.agent.functions does not name devicePlugin",
    "GPU_LABELS, devicePlugin, FleetPolicy spec.agent.functions does not name labels",
    "FEATURE_LABELS, devicePlugin, FleetPolicy spec.agent.functions does not name labels",
    "CDI, labels, FleetPolicy spec.agent.functions does not name cdi",
    "RUNTIME, labels, FleetPolicy spec.agent.functions does not name runtime",
    "VALIDATION, labels, FleetPolicy spec.agent.functions does not name validation",
  })
  void functionThatTheAgentDoesNotProvide_isOff(
      NodeFunction function, String provided, String why) {
    assertThat(Said.all().functions(provided).settings().state(function)).isEqualTo(new Off(why));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "NODE_STATUS, \"{}\", spec.nodeStatusExporter.enabled",
        "METRICS, \"{'dcgmExporter': {'enabled': false}}\", spec.dcgmExporter.enabled",
        "MIG, \"{'migManager': {'enabled': false}}\", spec.migManager.enabled",
        "MPS, \"{'devicePlugin': {'enabled': false}}\", spec.devicePlugin.enabled",
        "RUNTIME, \"{'toolkit': {'enabled': false}}\", spec.toolkit.enabled",
        "DEVICE_PLUGIN, \"{'devicePlugin': {'enabled': false}}\", spec.devicePlugin.enabled",
        "GPU_LABELS, \"{'gfd': {'enabled': false}}\", spec.gfd.enabled",
        "CDI, \"{'toolkit': {'enabled': false}}\", spec.toolkit.enabled",
        "CDI, \"{'cdi': {'enabled': false}}\", spec.cdi.enabled",
      })
  void functionThatThePolicyDoesNotWant_isOff(NodeFunction function, String policy, String field) {
    assertThat(Said.everything().policy(policy).settings().state(function))
        .isEqualTo(new Off("ClusterPolicy " + field + " is false"));
  }

  @ParameterizedTest
  @CsvSource({
    "DEVICE_PLUGIN, nvidia.com/gpu.deploy.device-plugin",
    "GPU_LABELS, nvidia.com/gpu.deploy.gpu-feature-discovery",
    "CDI, nvidia.com/gpu.deploy.container-toolkit",
    "MPS, nvidia.com/gpu.deploy.device-plugin",
    "RUNTIME, nvidia.com/gpu.deploy.container-toolkit",
    "VALIDATION, nvidia.com/gpu.deploy.operator-validator",
    "MIG, nvidia.com/gpu.deploy.mig-manager",
  })
  void aLabelOfTheNodeKeepsItsFunctionOffThatNode(NodeFunction function, String label) {
    assertThat(Said.everything().label(label, "false").settings().state(function))
        .isEqualTo(new Off("Node label " + label + " is 'false', not true"));
    assertThat(Said.everything().withoutLabel(label).settings().state(function))
        .isEqualTo(new Off("Node label " + label + " is not set"));
    assertThat(Said.everything().label(label, "").settings().state(function))
        .isEqualTo(new Off("Node label " + label + " is not set"));
  }

  @ParameterizedTest
  @CsvSource({
    "paused-for-driver-upgrade, paused-for-driver-upgrade",
    "paused-for-mig-change, paused-for-mig-change",
    "custom_paused-for-driver-upgrade, paused-for-driver-upgrade",
  })
  void aPausedFunctionNamesWhoPausedIt(String value, String by) {
    var settings = Said.all().label(Said.PLUGIN, value).settings();

    assertThat(settings.state(DEVICE_PLUGIN)).isEqualTo(new Paused(by));
    assertThat(settings.isOn(GPU_LABELS)).isTrue();
    assertThat(settings.plugin()).isPresent();
  }

  /// As while operands and agents change places node by node.
  @ParameterizedTest
  @CsvSource({
    "devicePlugin, provided-by-agent,                           true",
    "devicePlugin, true,                                        true",
    "labels,       provided-by-agent,                           true",
    "labels,       true,                                        false",
    "labels,       false,                                       false",
    "labels,       provided-by-agent_paused-for-driver-upgrade, false",
  })
  void aFunctionThatIsHandedBackRunsWhereTheLabelSaysSo(String given, String label, boolean isOn) {
    var settings =
        Said.all()
            .functions(given)
            .handingBack("devicePlugin")
            .label(Said.PLUGIN, label)
            .settings();

    assertThat(settings.isOn(DEVICE_PLUGIN)).isEqualTo(isOn);
  }

  @Test
  void functionThatTheAgentDoesNotHave_isOffWhateverTheLabelSays() {
    var settings =
        Said.all().functions("labels").label(Said.PLUGIN, "provided-by-agent").settings();

    assertThat(settings.state(DEVICE_PLUGIN)).isInstanceOf(Off.class);
    assertThat(settings.state(NodeFunction.MPS)).isInstanceOf(Off.class);
  }

  @Test
  void functionThatIsTurnedOff_staysOff_thoughItsLabelHasAPause() {
    var settings = Said.all().label(Said.PLUGIN, "false_paused-for-driver-upgrade").settings();

    assertThat(settings.state(DEVICE_PLUGIN)).isInstanceOf(Off.class);
  }

  @Test
  void functionThatThePolicyDoesNotWant_isNotPaused() {
    var settings =
        Said.all()
            .policy("{'devicePlugin': {'enabled': false}}")
            .label(Said.PLUGIN, "paused-for-mig-change")
            .settings();

    assertThat(settings.state(DEVICE_PLUGIN)).isInstanceOf(Off.class);
  }

  @Test
  void noLabelAndNoPolicySwitchesFeatureLabelsOff() {
    var settings =
        Said.all()
            .policy("{'gfd': {'enabled': false}}")
            .withoutLabel(Said.DISCOVERY)
            .withoutLabel(Said.PLUGIN)
            .settings();

    assertThat(settings.isOn(FEATURE_LABELS)).isTrue();
  }

  @Test
  void pluginAndCdiShareAConfigurationThatIsThereAsLongAsOneOfThemIsWanted() {
    assertThat(Said.all().functions("cdi").settings().plugin()).isPresent();
    assertThat(Said.all().functions("labels").settings().plugin()).isEmpty();
    assertThat(Said.all().functions("devicePlugin").settings().labels()).isEmpty();
  }

  @Test
  void aFunctionThatTheAgentDoesNotKnowIsNamedAndTheOthersRun() {
    var settings = Said.all().functions("labels", "teleport").settings();

    assertThat(settings.isOn(GPU_LABELS)).isTrue();
    assertThat(settings.problems())
        .extracting(SettingsProblem::message)
        .containsExactly(
            "FleetPolicy spec.agent.functions is 'teleport': this agent does not provide it; remove"
                + " it to use NVIDIA's operand; all else is in force");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "null",
      value = {
        "null | FleetPolicy spec.dra.nodeSelector is not set, which selects no node",
        "{'zone': 'a', 'serve': 'claims'} | FleetPolicy spec.dra.nodeSelector asks for the Node label serve=claims, which is not set",
        "{'zone': 'b'} | FleetPolicy spec.dra.nodeSelector asks for the Node label zone=b, which is 'a'",
      })
  void claims_areServedOnNodesOfTheSelectorOnly(@Nullable String selector, String why) {
    var said = Said.all().functions("dra").label("zone", "a");
    if (selector != null) {
      said.claimsOn(selector);
    }

    assertThat(said.settings().state(DRA)).isEqualTo(new Off(why));
    assertThat(said.claimsOn("{'zone': 'a'}").settings().isOn(DRA)).isTrue();
    assertThat(said.claimsOn("{}").settings().isOn(DRA)).as("an empty selector").isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | true | true | false | false | false",
        "{'TimeSlicingSettings': false} | false | true | false | false | false",
        "{'TimeSlicingSettings': true} | true | true | false | false | true",
        "{'MPSSupport': false, 'DynamicMIG': true} | true | false | true | false | false",
        "{'PassthroughSupport': true} | true | true | false | true | false",
        "{'MPSSupport': null, 'AllAlpha': true} | true | true | false | false | false",
      })
  void featureGatesOfTheDocumentAreInForce(
      String gates,
      boolean timeSlicing,
      boolean mps,
      boolean dynamicMig,
      boolean passthrough,
      boolean resetsReturned) {
    assertThat(Said.all().draFeatures(gates).settings().dra())
        .isEqualTo(
            new FeatureSwitches(
                timeSlicing,
                mps,
                dynamicMig,
                passthrough,
                new ConsumableShares.Disabled(),
                resetsReturned));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | NO_SCHEDULE",
        "{'NVMLDeviceHealthCheck': true} | NO_SCHEDULE",
        "{'NVMLDeviceHealthCheck': null} | NO_SCHEDULE",
        "{'NVMLDeviceHealthCheck': false} | ",
      })
  void unhealthyDevicesAreTaintedUnlessTheGateIsOff(
      String gates, DeviceTaint.@Nullable Effect effect) {
    assertThat(Said.all().draFeatures(gates).settings().health().deviceTaints())
        .isEqualTo(Optional.ofNullable(effect));
  }

  @Test
  void theStateOfEveryFunctionIsKnown() {
    assertThat(Said.all().settings().functions()).containsOnlyKeys(NodeFunction.values());
  }
}
