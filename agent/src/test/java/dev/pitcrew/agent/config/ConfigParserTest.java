package dev.pitcrew.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.allocation.SharedPolicy;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

class ConfigParserTest {
  private static final Map<String, List<String>> NO_FLAGS = Map.of();
  private static final Map<String, String> NO_VARIABLES = Map.of();

  @Test
  void withoutAnyWordTheReferencesDefaultsHold() {
    AgentConfig config = Configs.plugin(NO_FLAGS, NO_VARIABLES);

    assertThat(config.migStrategy()).isEqualTo(MigStrategy.NONE);
    assertThat(config.failOnInitError()).isTrue();
    assertThat(config.roots()).isEqualTo(new AgentConfig.DriverRoots("/", "/", "/driver-root"));
    assertThat(config.sharing()).isEqualTo(Sharing.NONE);
    assertThat(config.plugin())
        .isEqualTo(
            new AgentConfig.PluginConfig(
                List.of(DeviceListStrategy.ENVVAR),
                DeviceIdStrategy.UUID,
                SharedPolicy.DISTRIBUTED,
                false,
                "/var/lib/kubelet/device-plugins/kubelet.sock",
                "",
                new AgentConfig.Imex(List.of(), false)));
    assertThat(config.cdi().hookPath()).isEqualTo("/usr/bin/nvidia-ctk");
    assertThat(config.labels().sleepInterval())
        .isEqualTo(new SleepInterval.Every(Duration.ofSeconds(60)));
  }

  @Test
  void flagBeatsVariableBeatsFileBeatsDefault() {
    String file = "flags: {migStrategy: single}";
    var variable = Map.of("MIG_STRATEGY", "mixed");
    var flag = Map.of("mig-strategy", List.of("none"));

    assertThat(strategy(NO_FLAGS, NO_VARIABLES, file)).isEqualTo(MigStrategy.SINGLE);
    assertThat(strategy(NO_FLAGS, variable, file)).isEqualTo(MigStrategy.MIXED);
    assertThat(strategy(flag, variable, file)).isEqualTo(MigStrategy.NONE);
  }

  private static MigStrategy strategy(
      Map<String, List<String>> flags, Map<String, String> environment, String file) {
    var sources = new ConfigSources(flags, environment, file);
    return Configs.accepted(ConfigParser.parse(Program.PLUGIN, sources)).config().migStrategy();
  }

  @Test
  void emptyVariableIsAValueForTextsAndTruthsAndNothingForNumbers() {
    AgentConfig config =
        Configs.plugin(
            NO_FLAGS,
            Map.of("FAIL_ON_INIT_ERROR", "", "KUBELET_SOCKET", "", "IMEX_CHANNEL_IDS", ""));

    assertThat(config.failOnInitError()).isFalse();
    assertThat(config.plugin().kubeletSocket()).isEmpty();
    assertThat(config.plugin().imex().channels()).isEmpty();
  }

  @Test
  void emptyVariableOfAListIsOneEmptyElement() {
    assertThat(Configs.pluginProblems(NO_FLAGS, Map.of("DEVICE_LIST_STRATEGY", ""), ""))
        .containsExactly(
            "DEVICE_LIST_STRATEGY: give one of envvar, volume-mounts, cdi-annotations, cdi-cri");
  }

  @Test
  void firstVariableThatExistsWinsEvenIfEmpty() {
    AgentConfig config =
        Configs.plugin(
            NO_FLAGS, Map.of("NVIDIA_CDI_HOOK_PATH", "", "NVIDIA_CTK_PATH", "/opt/nvidia-ctk"));

    assertThat(config.cdi().hookPath()).isEmpty();
  }

  @Test
  void variablesOfFeatureDiscoveryDoNotConfigureThePlugin() {
    var sources = new ConfigSources(NO_FLAGS, Map.of("GFD_MIG_STRATEGY", "single"), "");

    assertThat(Configs.accepted(ConfigParser.parse(Program.PLUGIN, sources)).config().migStrategy())
        .isEqualTo(MigStrategy.NONE);
    assertThat(Configs.accepted(ConfigParser.parse(Program.LABELS, sources)).config().migStrategy())
        .isEqualTo(MigStrategy.SINGLE);
  }

  @Test
  void listsAreSplitAtCommasInFlagsAndVariablesButNotInTheFile() {
    var wanted = List.of(DeviceListStrategy.ENVVAR, DeviceListStrategy.CDI_CRI);

    assertThat(
            Configs.plugin(Map.of("device-list-strategy", List.of("envvar", "cdi-cri")), Map.of())
                .plugin()
                .deviceListStrategies())
        .isEqualTo(wanted);
    assertThat(
            Configs.plugin(NO_FLAGS, Map.of("DEVICE_LIST_STRATEGY", "envvar, cdi-cri"))
                .plugin()
                .deviceListStrategies())
        .isEqualTo(wanted);
    assertThat(
            Configs.problems(
                Configs.pluginFile("flags: {plugin: {deviceListStrategy: 'envvar,cdi-cri'}}")))
        .containsExactly(
            "flags.plugin.deviceListStrategy is 'envvar,cdi-cri': give one of envvar,"
                + " volume-mounts, cdi-annotations, cdi-cri");
  }

  @Test
  void flagsOnTheCommandLineReplaceTheListOfTheVariable() {
    AgentConfig config =
        Configs.plugin(
            Map.of("device-list-strategy", List.of("volume-mounts")),
            Map.of("DEVICE_LIST_STRATEGY", "envvar,cdi-cri"));

    assertThat(config.plugin().deviceListStrategies())
        .containsExactly(DeviceListStrategy.VOLUME_MOUNTS);
  }

  @Test
  void twoSpellingsOfOneFlagAreRefused() {
    assertThat(
            Configs.pluginProblems(
                Map.of("driver-root", List.of("/a"), "nvidia-driver-root", List.of("/a")),
                NO_VARIABLES,
                ""))
        .containsExactly(
            "--driver-root and --nvidia-driver-root: these are one flag; give only one of them");
  }

  @ParameterizedTest
  @CsvSource({
    "mig-strategy, both, 'one of none, single, mixed'",
    "device-id-strategy, name, 'one of uuid, index'",
    "shared-devices-allocation-policy, fair, 'one of distributed, packed'",
    "fail-on-init-error, yes, true or false",
    "imex-channel-ids, '1', 'nothing, or 0'",
  })
  void invalidValueIsNamedWithItsFlagAndWhatIsValid(String flag, String value, String valid) {
    assertThat(Configs.pluginProblems(Map.of(flag, List.of(value)), NO_VARIABLES, ""))
        .containsExactly("--%s is '%s': give %s".formatted(flag, value, valid));
  }

  @Test
  void allErrors_areReportedAtOnce() {
    assertThat(
            Configs.pluginProblems(
                Map.of("mig-strategy", List.of("x")),
                Map.of("DEVICE_ID_STRATEGY", "y"),
                "flags: {plugin: {sharedDevicesAllocationPolicy: z}}"))
        .hasSize(3);
  }

  @Test
  void deviceRootIsTheDriverRootUnlessGiven() {
    var driver = Map.of("NVIDIA_DRIVER_ROOT", "/run/nvidia/driver");

    assertThat(Configs.plugin(NO_FLAGS, driver).roots().dev()).isEqualTo("/run/nvidia/driver");
    assertThat(Configs.plugin(Map.of("dev-root", List.of("/")), driver).roots().dev())
        .isEqualTo("/");
  }

  @Test
  void keysOfFlagsMatchWhateverTheirCase() {
    var config = Configs.accepted(Configs.pluginFile("FLAGS: {MigStrategy: mixed}"));

    assertThat(config.config().migStrategy()).isEqualTo(MigStrategy.MIXED);
    assertThat(config.warnings()).isEmpty();
  }

  @Test
  void unknownKeysAreNamed() {
    var parsed =
        Configs.accepted(
            Configs.pluginFile(
                """
                version: v1
                flag: {}
                flags:
                  migStrategie: none
                  plugin:
                    passDeviceSpec: true
                imex: {channels: [0]}
                """));

    assertThat(parsed.warnings())
        .containsExactly(
            "flag is no known key and has no effect",
            "flags.migStrategie is no known key and has no effect",
            "flags.plugin.passDeviceSpec is no known key and has no effect",
            "imex.channels is no known key and has no effect");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "---",
        "{}",
        "version:",
        "version: ~",
        "version: v1",
        "flags:",
        "flags: null",
        "{\"flags\":{}}"
      })
  void fileThatSaysNothingIsValid(String file) {
    assertThat(Configs.accepted(Configs.pluginFile(file)).config())
        .isEqualTo(Configs.plugin(NO_FLAGS, NO_VARIABLES));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "version: v2 | version is 'v2': unknown version; give v1",
        "[] | the configuration file is '[]': write a mapping of keys to values",
        "flags: 5 | flags is '5': write a mapping of keys to values",
        "flags: {failOnInitError: 'true'} | flags.failOnInitError is 'true': give true or false",
        "flags: {migStrategy: off} | flags.migStrategy is 'false': give one of none, single, mixed",
        "flags: {plugin: {deviceListStrategy: {a: b}}} | flags.plugin.deviceListStrategy is"
            + " '{a=b}': give one of envvar, volume-mounts, cdi-annotations, cdi-cri",
        "imex: {channelIDs: ['0']} | imex.channelIDs is '[0]': give nothing, or 0",
        "imex: {channelIDs: [0, 1]} | imex.channelIDs is '0,1': give nothing, or 0",
      })
  void brokenFileIsRefusedWithTheKey(String file, String problem) {
    String quoted =
        file.equals("flags: {failOnInitError: 'true'}") ? file.replace("'", "\"") : file;

    assertThat(Configs.problems(Configs.pluginFile(quoted))).containsExactly(problem);
  }

  @Test
  void textThatIsNoYamlIsRefused() {
    assertThat(Configs.problems(Configs.pluginFile("flags: [")))
        .singleElement()
        .asString()
        .startsWith("the configuration file: it is no YAML");
  }

  @Test
  void onlyTheFirstDocumentCounts() {
    var parsed = Configs.pluginFile("flags: {gdsEnabled: true}\n---\nflags: {gdsEnabled: false}\n");

    assertThat(Configs.accepted(parsed).config().cdi().extraDevices().gds()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"yes", "on", "True", "TRUE", "true"})
  void truthsMayBeWrittenInTheWordsOfYaml11(String word) {
    var parsed = Configs.pluginFile("flags: {gdsEnabled: %s}".formatted(word));

    assertThat(Configs.accepted(parsed).config().cdi().extraDevices().gds()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"30s, PT30S", "1m30s, PT1M30S", "5, PT0.000000005S", "0, PT0S"})
  void sleepIntervalIsAGoDurationOrNanoseconds(String text, Duration expected) {
    var config = Configs.labels("flags: {gfd: {sleepInterval: %s}}".formatted(text));

    assertThat(config.labels().sleepInterval()).isEqualTo(new SleepInterval.Every(expected));
  }

  @Test
  void sleepIntervalMayBeInfinite() {
    assertThat(Configs.labels("flags: {gfd: {sleepInterval: infinite}}").labels().sleepInterval())
        .isEqualTo(new SleepInterval.Infinite());
  }

  @Test
  void namesOfResourcesInTheFileHaveNoEffect() {
    var parsed =
        Configs.accepted(
            Configs.pluginFile("resources: {gpus: [{pattern: '*', name: nvidia.com/a100}]}"));

    assertThat(parsed.warnings())
        .containsExactly("resources.gpus has no effect: resources have their default names");
  }

  @Test
  void namesOfResourcesAreCheckedNevertheless() {
    assertThat(Configs.problems(Configs.pluginFile("resources: {mig: [{name: UPPER}]}")))
        .containsExactly(
            "resources.mig[0].pattern: name the product or profile, such as *",
            "resources.mig[0].name is 'UPPER': " + ResourceName.VALID);
    assertThat(Configs.problems(Configs.pluginFile("resources: {gpus: all}")))
        .containsExactly("resources.gpus is 'all': give a list of patterns with their names");
    assertThat(
            Configs.accepted(
                    Configs.pluginFile(
                        "resources: {gpu: [], mig: [{pattern: '*', name: a, names: b}]}"))
                .warnings())
        .containsExactly(
            "resources.gpu is no known key and has no effect",
            "resources.mig[0].names is no known key and has no effect",
            "resources.mig has no effect: resources have their default names");
  }

  @Test
  void mpsNeedsItsRootAndUndividedGpus() {
    String file = "sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}";

    assertThat(Configs.pluginProblems(Map.of("mig-strategy", List.of("mixed")), Map.of(), file))
        .containsExactly(
            "--mig-strategy is 'mixed': MPS cannot share MIG devices; give none, or share by"
                + " sharing.timeSlicing",
            "--mps-root: sharing.mps needs the folder of the MPS daemons; give its path");
    assertThat(Configs.pluginProblems(NO_FLAGS, Map.of("MPS_ROOT", "/run/nvidia/mps"), file))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"PLUGIN, tegra", "PLUGIN, vfio", "LABELS, tegra", "LABELS, vfio"})
  void waysToFindGpusThatAreNotServedAreRefused(Program program, String way) {
    var flags = Map.of("device-discovery-strategy", List.of(way));

    assertThat(
            Configs.problems(
                ConfigParser.parse(program, new ConfigSources(flags, NO_VARIABLES, ""))))
        .containsExactly(
            "--device-discovery-strategy is '%s': give one of auto, nvml; NVML knows neither GPUs of Tegra boards nor those of virtual machines (vfio-pci), and nothing else is asked"
                .formatted(way));
  }

  @Test
  void invalidFlagOfThePlugin_doesNotStopLabels() {
    var sources =
        new ConfigSources(NO_FLAGS, NO_VARIABLES, "flags: {plugin: {deviceIDStrategy: name}}");

    assertThat(Configs.accepted(ConfigParser.parse(Program.LABELS, sources)).warnings())
        .containsExactly("flags.plugin.deviceIDStrategy is 'name': give one of uuid, index");
  }

  @Test
  void configurationFileIsNamedByFlagOrVariable() {
    var variables = Map.of("CONFIG_FILE", "/a", "GFD_CONFIG_FILE", "/b");

    assertThat(ConfigParser.filePath(Program.PLUGIN, new ConfigSources(NO_FLAGS, variables, "")))
        .contains("/a");
    assertThat(ConfigParser.filePath(Program.LABELS, new ConfigSources(NO_FLAGS, variables, "")))
        .contains("/b");
    assertThat(ConfigParser.filePath(Program.PLUGIN, new ConfigSources(NO_FLAGS, Map.of(), "")))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PLUGIN | [0] | flags: {migStrategy: mixed, plugin: {deviceListStrategy: cdi-cri}}",
        "PLUGIN | all | flags: {plugin: {deviceListStrategy: [cdi-cri, envvar]}}",
        "PLUGIN | 3 | flags: {mpsRoot: /mps, plugin: {deviceIDStrategy: index}}",
        "PLUGIN | all | imex: {channelIDs: [0]}",
        "LABELS | all | flags: {migStrategy: single, deviceDiscoveryStrategy: nvml}",
        "LABELS | all | flags: {gfd: {sleepInterval: infinite, oneshot: true, noTimestamp: true}}",
        "LABELS | all | flags: {gfd: {sleepInterval: 90s, outputFile: /out, machineTypeFile: /a}}",
      })
  void effectiveConfigurationIsOneThatGivesItself(Program program, String devices, String flags) {
    String sharing =
        "sharing: {timeSlicing: {resources: [{name: gpu, replicas: 2, devices: %s}]}}\n"
            .formatted(devices);
    AgentConfig first = accepted(program, sharing + flags).config();
    assertThat(first).isNotEqualTo(accepted(program, sharing).config());

    String printed = new Yaml().dump(EffectiveConfig.of(program, first));

    assertThat(accepted(program, printed)).isEqualTo(new ParsedConfig.Accepted(first, List.of()));
  }

  private static ParsedConfig.Accepted accepted(Program program, String file) {
    return Configs.accepted(
        ConfigParser.parse(program, new ConfigSources(NO_FLAGS, NO_VARIABLES, file)));
  }

  @Test
  void aMapMayBeMergedFromAnother() {
    var parsed =
        Configs.accepted(
            Configs.pluginFile("base: &base {gdsEnabled: true}\nflags: {<<: *base}\n"));

    assertThat(parsed.config().cdi().extraDevices().gds()).isTrue();
    assertThat(parsed.warnings()).containsExactly("base is no known key and has no effect");
  }
}
