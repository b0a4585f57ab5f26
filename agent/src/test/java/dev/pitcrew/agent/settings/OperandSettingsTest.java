package dev.pitcrew.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.AgentConfig.ExtraDevices;
import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.device.sharing.MigStrategy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the agent makes of `args` and `env` of the operands that it replaces. That it makes the
/// same of a whole policy as the operator does is shown where both are known.
class OperandSettingsTest {

  @Test
  void argumentsBeatVariablesWhichBeatTheFile() {
    String file = "flags: {migStrategy: single, plugin: {deviceIDStrategy: index}}";
    var said =
        Said.all()
            .policy(
                "{'mig': {'strategy': 'none'}, 'devicePlugin': {'args': ['--mig-strategy=mixed'],"
                    + " 'config': {'name': 'plugin', 'default': 'a'}}}")
            .files(Map.of("a", file));

    assertThat(plugin(said).migStrategy()).isEqualTo(MigStrategy.MIXED);
    assertThat(plugin(said).plugin().deviceIdStrategy().value()).isEqualTo("uuid");
    assertThat(said.settings().labels().orElseThrow().config().migStrategy())
        .isEqualTo(MigStrategy.NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'--mig-strategy=mixed', '--pass-device-specs=false'",
        "'-mig-strategy', 'mixed', '-pass-device-specs=false'",
        "'--mig-strategy', 'single', '--pass-device-specs', '--mig-strategy', 'mixed',"
            + " '--pass-device-specs=0'",
      })
  void argumentsAreReadAsGoPrograms(String words) {
    var config = plugin(Said.all().policy("{'devicePlugin': {'args': [" + words + "]}}"));

    assertThat(config.migStrategy()).isEqualTo(MigStrategy.MIXED);
    assertThat(config.plugin().passDeviceSpecs()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "'--teleport=home', spec.devicePlugin.args[--teleport] is 'home': the agent has no such flag",
        "\"'--teleport', 'home'\", spec.devicePlugin.args[--teleport] is 'home': the agent has no",
        "\"'--teleport', '--gds-enabled'\", spec.devicePlugin.args[--teleport]: the agent has no such",
        "'/bin/entrypoint.sh', spec.devicePlugin.args[/bin/entrypoint.sh]: it is no flag; remove it",
        "'--mig-strategy', spec.devicePlugin.args[--mig-strategy]: it needs a value",
        "'--config-file=/a', spec.devicePlugin.args[--config-file] is '/a': the agent reads the Conf",
      })
  void argumentsWithoutUseAreNamedAndTheRestIsInForce(String words, String message) {
    var settings = Said.all().policy("{'devicePlugin': {'args': [" + words + "]}}").settings();

    assertThat(settings.isOn(NodeFunction.DEVICE_PLUGIN)).isTrue();
    assertThat(settings.problems())
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.message()).startsWith("ClusterPolicy " + message);
          assertThat(problem.isHarmless()).isTrue();
        });
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "devicePlugin, FOO, bar, the agent has no such variable; remove it",
        "devicePlugin, NVIDIA_VISIBLE_DEVICES, 0, the agent offers all GPUs of the node; remove it",
        "devicePlugin, GFD_MIG_STRATEGY, single, the agent has no such variable; remove it",
        "gfd, GFD_ONESHOT, true, the agent keeps labels right all the time; remove it",
        "gfd, GFD_OUTPUT_FILE, /labels, the agent writes labels to the Node itself; remove it",
        "gfd, KUBE_API_QPS, 7, the agent talks to the API server for the whole node in its own way;",
      })
  void variablesWithoutUseAreNamed(String section, String name, String value, String remedy) {
    var settings = Said.all().policy(env(section, name, value)).settings();

    assertThat(settings.problems())
        .singleElement()
        .extracting(SettingsProblem::message)
        .asString()
        .startsWith(
            "ClusterPolicy spec.%s.env[%s] is '%s': %s".formatted(section, name, value, remedy));
    assertThat(settings.isOn(NodeFunction.DEVICE_PLUGIN)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "devicePlugin, NVIDIA_VISIBLE_DEVICES, all",
    "devicePlugin, NVIDIA_DRIVER_CAPABILITIES, all",
    "devicePlugin, DP_DISABLE_HEALTHCHECKS, xids",
    "devicePlugin, FAIL_ON_INIT_ERROR, true",
    "gfd, GFD_SLEEP_INTERVAL, 30s",
    "gfd, GFD_FAIL_ON_INIT_ERROR, true",
    "gfd, GFD_ONESHOT, false",
    "gfd, USE_NODE_FEATURE_API, false",
  })
  void commonSettingsOfTheReference_areNoProblem(String section, String name, String value) {
    assertThat(Said.all().policy(env(section, name, value)).settings().problems()).isEmpty();
  }

  @Test
  void aVariableThatIsTakenFromElsewhereIsNamedAndTheOperatorsOwnValueCounts() {
    var settings =
        Said.all()
            .policy(
                "{'devicePlugin': {'env': [{'name': 'DEVICE_ID_STRATEGY', 'valueFrom':"
                    + " {'configMapKeyRef': {'name': 'a', 'key': 'b'}}}]}}")
            .settings();

    assertThat(settings.problems())
        .extracting(SettingsProblem::message)
        .containsExactly(
            "ClusterPolicy spec.devicePlugin.env[DEVICE_ID_STRATEGY] is 'valueFrom': the agent takes"
                + " literal values only; give the value itself; all else is in force");
    assertThat(settings.plugin().orElseThrow().config().plugin().deviceIdStrategy().value())
        .isEqualTo("uuid");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "\"{'devicePlugin': {'env': [{'name': 'DEVICE_ID_STRATEGY', 'value': 'name'}]}}\","
            + " ClusterPolicy spec.devicePlugin.env[DEVICE_ID_STRATEGY] is 'name': give one of",
        "\"{'devicePlugin': {'args': ['--device-id-strategy=name']}}\","
            + " ClusterPolicy spec.devicePlugin.args[--device-id-strategy] is 'name': give one of",
        "\"{'devicePlugin': {'env': [{'name': 'DEVICE_DISCOVERY_STRATEGY', 'value': 'tegra'}]}}\","
            + " ClusterPolicy spec.devicePlugin.env[DEVICE_DISCOVERY_STRATEGY] is 'tegra': give one",
      })
  void aWrongValueIsLocatedWhereItIsSaid(String policy, String message) {
    var problem = Said.all().policy(policy).settings().problems().getFirst();

    assertThat(problem.message()).startsWith(message);
    assertThat(problem.functions())
        .containsExactlyInAnyOrder(NodeFunction.DEVICE_PLUGIN, NodeFunction.CDI);
    assertThat(problem.isHarmless()).isFalse();
  }

  @Test
  void aMistakeInOneSectionLeavesTheOtherFunctionAlone() {
    var before = Said.all();
    var after =
        Said.all()
            .policy(
                "{'devicePlugin': {'env': [{'name': 'DEVICE_ID_STRATEGY', 'value': 'name'}]},"
                    + " 'gfd': {'args': ['--no-timestamp']}}")
            .after(before)
            .settings();

    assertThat(after.labels().orElseThrow().config().labels().noTimestamp()).isTrue();
    assertThat(after.plugin()).isEqualTo(before.settings().plugin());
  }

  @Test
  void loadedModulesSwitchTheirDevicesOnUnlessThePolicySaysSomethingOfThem() {
    var unsaid = Said.all().modules("gdrdrv", "nvidia_fs");
    var said =
        Said.all()
            .modules("gdrdrv", "nvidia_fs")
            .policy(env("devicePlugin", "GDRCOPY_ENABLED", "false"));

    assertThat(plugin(Said.all()).cdi().extraDevices())
        .isEqualTo(new ExtraDevices(false, false, false));
    assertThat(plugin(unsaid).cdi().extraDevices()).isEqualTo(new ExtraDevices(true, true, true));
    assertThat(plugin(said).cdi().extraDevices()).isEqualTo(new ExtraDevices(false, true, true));
  }

  @Test
  void healthChecksAreThoseOfThePolicy() {
    var settings =
        Said.all().policy(env("devicePlugin", "DP_DISABLE_HEALTHCHECKS", "94,many")).settings();

    assertThat(settings.xids()).isEqualTo(XidPolicy.of("94,many", ""));
    assertThat(settings.problems()).extracting(SettingsProblem::value).containsExactly("many");
  }

  @Test
  void withoutCdiDevicesAreNamedByAVariable() {
    var config = plugin(Said.all().policy("{'cdi': {'enabled': false}}"));

    assertThat(config.plugin().deviceListStrategies())
        .isEqualTo(List.of(DeviceListStrategy.ENVVAR));
  }

  private static AgentConfig plugin(Said said) {
    return said.settings().plugin().orElseThrow().config();
  }

  private static String env(String section, String name, String value) {
    return "{'%s': {'env': [{'name': '%s', 'value': '%s'}]}}".formatted(section, name, value);
  }
}
