package dev.pitcrew.agent.settings;

import static dev.pitcrew.agent.settings.NodeFunction.CDI;
import static dev.pitcrew.agent.settings.NodeFunction.DEVICE_PLUGIN;
import static dev.pitcrew.agent.settings.NodeFunction.FEATURE_LABELS;
import static dev.pitcrew.agent.settings.NodeFunction.GPU_LABELS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.settings.FunctionState.Off;
import dev.pitcrew.agent.settings.Settings.InForce;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The device plugin configuration of a node: which one is chosen, and what happens when it is
/// wrong.
class ConfigInForceTest {
  private static final Map<String, String> FILES = Map.of("two", shared(2), "four", shared(4));

  @Test
  void aNodeWithoutALabelUsesTheDefaultOfThePolicy() {
    assertThat(inForce(withDefault("two").files(FILES))).isEqualTo("two x2");
  }

  @Test
  void theLabelOfTheNodeBeatsTheDefault() {
    assertThat(inForce(withDefault("two").files(FILES).choosing("four"))).isEqualTo("four x4");
  }

  @Test
  void anEmptyLabelIsNone() {
    assertThat(inForce(withDefault("two").files(FILES).choosing(""))).isEqualTo("two x2");
  }

  @Test
  void withNeitherLabelNorDefaultTheConfigurationIsEmptyEvenIfThereIsOnlyOne() {
    var settings = Said.all().configMap(Map.of("default", shared(2))).settings();

    assertThat(plugin(settings)).isEqualTo(" x1");
    assertThat(settings.problems()).isEmpty();
    assertThat(settings.configMap()).hasValue("plugin");
  }

  @Test
  void labelsAreMadeWithTheSameConfiguration() {
    var settings = withDefault("four").files(FILES).settings();

    assertThat(settings.labels()).map(InForce::name).hasValue("four");
    assertThat(settings.labels().orElseThrow().config().sharing())
        .isEqualTo(settings.plugin().orElseThrow().config().sharing());
  }

  @Test
  void aLabelThatNothingCanBeChosenByIsNamed() {
    var settings = Said.all().choosing("two").settings();

    assertThat(settings.isOn(DEVICE_PLUGIN)).isTrue();
    assertThat(settings.configMap()).isEmpty();
    assertThat(settings.problems()).hasSize(1);
    assertThat(settings.problems().getFirst().message())
        .isEqualTo(
            "Node label nvidia.com/device-plugin.config is 'two': ClusterPolicy"
                + " spec.devicePlugin.config.name names no ConfigMap to choose from; give one there;"
                + " all else is in force");
    assertThat(settings.problems().getFirst().functions())
        .containsExactlyInAnyOrder(DEVICE_PLUGIN, CDI, GPU_LABELS);
  }

  static Stream<Arguments> errors() {
    return Stream.of(
        Arguments.of(
            "label names no configuration",
            withDefault("two").files(FILES).choosing("eight"),
            "Node label nvidia.com/device-plugin.config is 'eight': ConfigMap gpu-operator/plugin"
                + " has no such key; give one of four, two"),
        Arguments.of(
            "default names no configuration",
            withDefault("eight").files(FILES),
            "ClusterPolicy spec.devicePlugin.config.default is 'eight': ConfigMap"
                + " gpu-operator/plugin has no such key; give one of four, two"),
        Arguments.of(
            "no such ConfigMap",
            withDefault("two").noSuchConfigMap(),
            "ClusterPolicy spec.devicePlugin.config.name is 'plugin': there is no such ConfigMap in"
                + " namespace gpu-operator; create it"),
        Arguments.of(
            "an empty ConfigMap",
            withDefault("").files(Map.of("..data", "x")),
            "ConfigMap gpu-operator/plugin: it holds no configuration; add a key with one"),
        Arguments.of(
            "replicas 0",
            withDefault("none").files(Map.of("none", shared(0))),
            "ConfigMap gpu-operator/plugin key none: sharing.timeSlicing.resources[0].replicas is"
                + " '0': give a whole number, 2 or more"),
        Arguments.of(
            "no YAML",
            withDefault("broken").files(Map.of("broken", "sharing: [")),
            "ConfigMap gpu-operator/plugin key broken: it is no YAML"),
        Arguments.of(
            "a list for a mapping",
            withDefault("list").files(Map.of("list", "- a")),
            "ConfigMap gpu-operator/plugin key list is '[a]': write a mapping of keys to values"),
        Arguments.of(
            "an unknown version",
            withDefault("new").files(Map.of("new", "version: v2")),
            "ConfigMap gpu-operator/plugin key new: version is 'v2': unknown version; give v1"),
        Arguments.of(
            "MPS without its daemons",
            withDefault("mps").files(Map.of("mps", shared(2).replace("timeSlicing", "mps"))),
            "ConfigMap gpu-operator/plugin key mps: sharing.mps: FleetPolicy spec.agent.functions"
                + " has devicePlugin but not mps; add mps, or share by sharing.timeSlicing"),
        Arguments.of(
            "a wrong strategy in the policy",
            Said.all().policy("{'mig': {'strategy': 'double'}}"),
            "ClusterPolicy spec.mig.strategy is 'double': give one of none, single, mixed"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("errors")
  void aMistakeKeepsTheLastConfigurationInForceAndSaysSo(String error, Said wrong, String message) {
    var before = withDefault("two").files(FILES);
    var after = wrong.after(before);

    assertThat(after.settings().plugin()).isEqualTo(before.settings().plugin()).isPresent();
    assertThat(after.settings().labels()).isEqualTo(before.settings().labels()).isPresent();
    assertThat(after.settings().functions()).isEqualTo(before.settings().functions());
    assertThat(after.settings().problems())
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.message())
              .startsWith(message)
              .endsWith("; still using the configuration two");
          assertThat(problem.functions()).containsExactlyInAnyOrder(DEVICE_PLUGIN, CDI, GPU_LABELS);
        });
    assertThat(after.source()).isEqualTo(before.source());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("errors")
  void withoutALastConfigurationAMistakeKeepsTheFunctionOff(
      String error, Said wrong, String message) {
    var settings = wrong.settings();

    assertThat(settings.plugin()).isEmpty();
    for (var function : Stream.of(DEVICE_PLUGIN, GPU_LABELS, CDI).toList()) {
      assertThat(settings.state(function))
          .isInstanceOfSatisfying(Off.class, off -> assertThat(off.why()).startsWith(message));
    }
    assertThat(settings.isOn(FEATURE_LABELS)).isTrue();
    assertThat(settings.problems())
        .singleElement()
        .extracting(SettingsProblem::message)
        .asString()
        .endsWith("; not running without a configuration");
  }

  @Test
  void anUnknownKeyHasNoEffectAndIsNamedOnce() {
    var settings = withDefault("two").files(Map.of("two", shared(2) + "colour: blue\n")).settings();

    assertThat(plugin(settings)).isEqualTo("two x2");
    assertThat(settings.problems())
        .extracting(SettingsProblem::message)
        .containsExactly(
            "ConfigMap gpu-operator/plugin key two: colour is no known key and has no effect; all"
                + " else is in force");
  }

  @Test
  void noGpuTakesSoManyClientsOfMps() {
    var settings =
        withDefault("mps")
            .files(Map.of("mps", shared(49).replace("timeSlicing", "mps")))
            .functions("labels", "devicePlugin", "mps")
            .settings();

    assertThat(settings.plugin()).isEmpty();
    assertThat(settings.problems())
        .singleElement()
        .extracting(SettingsProblem::message)
        .asString()
        .startsWith(
            "ConfigMap gpu-operator/plugin key mps: sharing.mps.resources[0].replicas is '49': no"
                + " GPU takes more than 48 clients of MPS; give 48 or fewer");
  }

  @Test
  void anAgentThatDoesNotOfferDevicesLabelsThoseThatMpsShares() {
    var mps = Map.of("mps", shared(2).replace("timeSlicing", "mps"));
    var settings = withDefault("mps").files(mps).functions("labels").settings();

    assertThat(settings.labels()).map(InForce::name).hasValue("mps");
    assertThat(settings.problems()).isEmpty();
  }

  @Test
  void untilTheConfigMapHasBeenReadNothingChangesAndNothingIsWrong() {
    var before = withDefault("two").files(FILES);
    var other = Said.all().policy("{'devicePlugin': {'config': {'name': 'other'}}}").files(FILES);
    var after = other.after(before).settings();

    assertThat(after.plugin()).isEqualTo(before.settings().plugin());
    assertThat(after.configMap()).hasValue("other");
    assertThat(after.problems()).isEmpty();
    assertThat(other.settings().state(DEVICE_PLUGIN))
        .isEqualTo(new Off("ConfigMap gpu-operator/other has not been read yet"));
  }

  @Test
  void invalidConfiguration_stillAllowsAPause() {
    var before = withDefault("two").files(FILES);
    var wrong = withDefault("eight").files(FILES).label(Said.PLUGIN, "paused-for-driver-upgrade");
    var after = wrong.after(before);

    assertThat(after.settings().state(DEVICE_PLUGIN))
        .isEqualTo(new FunctionState.Paused("paused-for-driver-upgrade"));
    assertThat(after.source().nodeLabels()).containsEntry(Said.PLUGIN, "paused-for-driver-upgrade");
    assertThat(after.source().agentJson()).isEqualTo(before.source().agentJson());
  }

  @Test
  void aMistakeThatIsCorrectedLeavesNoTrace() {
    var right = withDefault("four").files(FILES);
    var wrong = withDefault("eight").files(FILES).after(withDefault("two").files(FILES));

    assertThat(SettingsPlan.decide(right.source(), Optional.of(wrong))).isEqualTo(right.decision());
  }

  private static String inForce(Said said) {
    return plugin(said.settings());
  }

  private static String plugin(Settings settings) {
    var inForce = settings.plugin().orElseThrow();
    int replicas =
        inForce.config().sharing().resources().stream()
            .mapToInt(resource -> resource.replicas())
            .max()
            .orElse(1);
    return inForce.name() + " x" + replicas;
  }

  private static Said withDefault(String name) {
    return Said.all()
        .policy("{'devicePlugin': {'config': {'name': 'plugin', 'default': '" + name + "'}}}");
  }

  private static String shared(int replicas) {
    return """
    version: v1
    sharing:
      timeSlicing:
        resources:
        - name: nvidia.com/gpu
          replicas: %d
    """
        .formatted(replicas);
  }
}
