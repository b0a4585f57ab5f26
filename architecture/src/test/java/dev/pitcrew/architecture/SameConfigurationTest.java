package dev.pitcrew.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.ConfigParser;
import dev.pitcrew.agent.config.ConfigSources;
import dev.pitcrew.agent.config.ParsedConfig;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.settings.Settings.InForce;
import dev.pitcrew.agent.settings.SettingsPlan;
import dev.pitcrew.agent.settings.SettingsSource;
import dev.pitcrew.agent.settings.SettingsSource.WatchedConfigMap;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.api.node.AgentDocument;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.cluster.ContainerRuntime;
import dev.pitcrew.operator.operand.Operands;
import dev.pitcrew.operator.render.AgentConfiguration;
import dev.pitcrew.operator.render.AgentOrders;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// A policy configures the agent exactly as it configures the operands that the agent replaces:
/// what the agent makes of the operator's document is what the operand would read from the
/// arguments, the environment and the file of the DaemonSet that the operator would render.
class SameConfigurationTest {
  private static final Map<String, String> FILES =
      Map.of(
          "four",
          """
          version: v1
          flags: {migStrategy: single, gdsEnabled: true, plugin: {deviceIDStrategy: index}}
          sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}
          """,
          "renamed",
          """
          flags: {gfd: {sleepInterval: 5s, noTimestamp: true}}
          sharing: {timeSlicing: {renameByDefault: true, resources: [{name: nvidia.com/gpu, replicas: 2}]}}
          """);

  /// One of each row makes a policy.
  private static final List<List<String>> ROWS =
      List.of(
          List.of("", "cdi: {enabled: false}", "cdi: {enabled: true, nriPluginEnabled: true}"),
          List.of("", "mig: {strategy: none}", "mig: {strategy: single}", "mig: {strategy: mixed}"),
          List.of("", "gds: {enabled: true}", "gdrcopy: {enabled: true}"),
          List.of("", "toolkit: {enabled: false}", "toolkit: {installDir: /opt/kit}"),
          List.of(
              "gfd: {env: [{name: GFD_MIG_STRATEGY, value: none}, {name: USE_NODE_FEATURE_API}]}",
              "",
              "gfd: {env: [{name: MIG_STRATEGY, value: single}], args: [--no-timestamp=true]}",
              "gfd: {env: [{name: GFD_SLEEP_INTERVAL, value: 5s}, {name: GFD_SLEEP_INTERVAL, value: 7s}]}"),
          List.of(
              "",
              "mps: {root: /opt/mps}",
              "mps: {root: ''}",
              "config: {name: plugin}",
              "config: {name: plugin, default: four}",
              "config: {name: plugin, default: renamed}"),
          List.of(
              "",
              "env: [{name: DEVICE_LIST_STRATEGY, value: volume-mounts}, {name: GDS_ENABLED}]",
              "env: [{name: MIG_STRATEGY, value: mixed}, {name: MPS_ROOT, value: /mine}]",
              "env: [{name: FAIL_ON_INIT_ERROR, value: 'false'}], args: [--device-id-strategy=index]",
              "args: [--mig-strategy=single, --gds-enabled=false, --mig-strategy=none]"));

  /// Few enough to be quick; it has no factor in common with the length of any row, so that each
  /// value of a row meets each of every other.
  private static final int STEP = 11;

  private static final Images IMAGES =
      new Images(
          Stream.of("VALIDATOR", "DEVICE_PLUGIN", "GFD")
              .collect(Collectors.toMap(name -> name + "_IMAGE", _ -> "example.com/image:1")));

  @Test
  void theDevicePluginIsConfiguredAsItsDaemonSetWouldBe() {
    assertThat(policies())
        .hasSizeGreaterThan(1000)
        .allSatisfy(policy ->
            assertThat(settings(policy).plugin().map(InForce::config))
                .hasValue(ofDaemonSet(Program.PLUGIN, "state-device-plugin", policy)));
  }

  @Test
  void labelsAreConfiguredAsTheDaemonSetOfFeatureDiscoveryWouldBe() {
    assertThat(policies())
        .allSatisfy(policy ->
            assertThat(settings(policy).labels().map(InForce::config))
                .hasValue(ofDaemonSet(Program.LABELS, "gpu-feature-discovery", policy)));
  }

  private static Settings settings(String policy) {
    var agent = read("{enabled: true, functions: [labels, devicePlugin, cdi]}", AgentSpec.class);
    Map<String, String> data =
        AgentConfiguration.configMap(
                AgentDocument.CONFIG_MAP, agent, AgentOrders.NONE, context(policy))
            .getData();
    var source =
        new SettingsSource(
            "gpu-operator",
            Optional.ofNullable(data.get(AgentDocument.KEY)),
            Map.of(),
            Set.of(new WatchedConfigMap("plugin", Optional.of(FILES))),
            Set.of());
    return SettingsPlan.decide(source, Optional.empty()).settings();
  }

  private static AgentConfig ofDaemonSet(Program program, String state, String policy) {
    var operand =
        Operands.ALL.stream().filter(it -> it.state().equals(state)).findFirst().orElseThrow();
    DaemonSet daemonSet = operand.daemonSets(context(policy)).getFirst();
    List<Container> containers = daemonSet.getSpec().getTemplate().getSpec().getContainers();
    Container main = containers.getFirst();
    Map<String, String> environment = environment(main);
    String file = environment.containsKey("CONFIG_FILE") ? chosen(containers) : "";
    var parsed = ConfigParser.parse(program, new ConfigSources(flags(main), environment, file));
    return switch (parsed) {
      case ParsedConfig.Accepted(var config, _) -> config;
      case ParsedConfig.Rejected(var problems) -> throw new AssertionError(problems);
    };
  }

  /// The file that the config manager beside the operand would choose on a node without a label.
  private static String chosen(List<Container> containers) {
    Container manager =
        containers.stream()
            .filter(container -> container.getName().equals("config-manager"))
            .findFirst()
            .orElseThrow();
    return FILES.getOrDefault(environment(manager).getOrDefault("DEFAULT_CONFIG", ""), "");
  }

  private static Map<String, String> environment(Container container) {
    return container.getEnv().stream()
        .filter(entry -> entry.getValueFrom() == null)
        .collect(Collectors.toMap(EnvVar::getName, entry -> entry.getValue()));
  }

  /// The operand's own argument is no flag: it starts the script that starts the plugin.
  private static Map<String, List<String>> flags(Container container) {
    var flags = new LinkedHashMap<String, List<String>>();
    container.getArgs().stream()
        .filter(word -> word.startsWith("--"))
        .map(word -> word.substring(2).split("=", 2))
        .forEach(word -> flags.computeIfAbsent(word[0], _ -> new ArrayList<>()).add(word[1]));
    return flags;
  }

  private static RenderContext context(String policy) {
    var facts =
        new ClusterFacts(
            "gpu-operator",
            ContainerRuntime.CONTAINERD,
            Optional.empty(),
            new TreeSet<>(),
            true,
            new TreeSet<>(),
            true,
            Map.of("plugin", new TreeSet<>(FILES.keySet())),
            Optional.of(Set.of()),
            Set.of(),
            new TreeMap<>(),
            ClusterFacts.Agents.AT_WORK,
            true);
    return new RenderContext(read(policy, ClusterPolicySpec.class), facts, IMAGES);
  }

  private static <T> T read(String yaml, Class<T> type) {
    try {
      return ApiJson.read(new YAMLMapper().readTree(yaml), type);
    } catch (JsonProcessingException broken) {
      throw new AssertionError(yaml, broken);
    }
  }

  private static Stream<String> policies() {
    int all = ROWS.stream().mapToInt(List::size).reduce(1, Math::multiplyExact);
    return IntStream.iterate(0, number -> number < all, number -> number + STEP)
        .mapToObj(SameConfigurationTest::policy);
  }

  private static String policy(int number) {
    var chosen = new ArrayList<String>();
    int rest = number;
    for (List<String> row : ROWS) {
      chosen.add(row.get(rest % row.size()));
      rest /= row.size();
    }
    var plugin = chosen.subList(ROWS.size() - 2, ROWS.size());
    var sections = new ArrayList<>(chosen.subList(0, ROWS.size() - 2));
    sections.add("devicePlugin: {%s}".formatted(joined(plugin)));
    return "{%s}".formatted(joined(sections));
  }

  private static String joined(List<String> parts) {
    return String.join(", ", parts.stream().filter(part -> !part.isEmpty()).toList());
  }
}
