package dev.pitcrew.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.nri.plan.ContainerRules;
import dev.pitcrew.agent.runtime.plan.RestartMode;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.AgentPolicy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What ClusterPolicy `spec.toolkit.env` says about containers that ask for devices.
class ToolkitEnvironmentTest {
  private static final String NAMESPACE = "gpu-operator";

  @Test
  void emptyEnvironment_getsTheDefaultsOfTheToolkit() {
    var read = ToolkitEnvironment.read(AgentPolicy.ABSENT, NAMESPACE);
    assertThat(read.problems()).isEmpty();
    assertThat(read.settings())
        .isEqualTo(
            new ContainerSettings(
                new ContainerRules(
                    Set.of("nvidia", "nvidia-cdi", "nvidia-legacy"),
                    true,
                    false,
                    false,
                    Optional.empty(),
                    Set.of(NAMESPACE)),
                "/var/run/nri/nri.sock",
                "10",
                RuntimeSettings.STANDARD));
  }

  @Test
  void everyVariable_hasAnEffect() {
    var read =
        read(
            """
            {"operator": {"runtimeClass": "gpu"}, "cdi": {"nriPluginEnabled": true}, "toolkit": {"env": [
              {"name": "ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED", "value": "false"},
              {"name": "ACCEPT_NVIDIA_VISIBLE_DEVICES_AS_VOLUME_MOUNTS", "value": "1"},
              {"name": "NRI_MANAGEMENT_CDI_DEVICE_NAMESPACES", "value": "monitoring, ops"},
              {"name": "PITCREW_VISIBLE_DEVICES_NAMESPACES", "value": "team-a"},
              {"name": "CONTAINERD_RUNTIME_CLASS", "value": "nvidia-x"},
              {"name": "NRI_SOCKET", "value": "/run/nri/other.sock"},
              {"name": "NRI_PLUGIN_INDEX", "value": "5"},
              {"name": "RUNTIME", "value": "crio"},
              {"name": "RUNTIME_CONFIG", "value": "/etc/crio/other.conf"},
              {"name": "RUNTIME_DROP_IN_CONFIG", "value": "/etc/crio/crio.conf.d/50.conf"},
              {"name": "RUNTIME_SOCKET", "value": "/run/other.sock"},
              {"name": "RUNTIME_EXECUTABLE_PATH", "value": "/opt/bin/crio"},
              {"name": "RUNTIME_RESTART_MODE", "value": "none"},
              {"name": "RUNTIME_ENABLE_CDI", "value": "false"},
              {"name": "NO_RUNTIME_CONFIG", "value": "true"}]}}
            """);
    assertThat(read.problems()).isEmpty();
    assertThat(read.settings())
        .isEqualTo(
            new ContainerSettings(
                new ContainerRules(
                    Set.of("nvidia", "nvidia-cdi", "nvidia-legacy", "nvidia-x", "gpu"),
                    false,
                    true,
                    true,
                    Optional.of(Set.of("team-a")),
                    Set.of(NAMESPACE, "monitoring", "ops")),
                "/run/nri/other.sock",
                "05",
                new RuntimeSettings(
                    Optional.of(RuntimeKind.CRIO),
                    Optional.of("/etc/crio/other.conf"),
                    Optional.of("/etc/crio/crio.conf.d/50.conf"),
                    Optional.of("/run/other.sock"),
                    Optional.of("/opt/bin/crio"),
                    Optional.of(RestartMode.NONE),
                    List.of("nvidia", "nvidia-cdi", "nvidia-legacy", "nvidia-x", "gpu"),
                    false,
                    false)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED | maybe",
        "NRI_MANAGEMENT_CDI_DEVICE_NAMESPACES | ops,*",
        "PITCREW_VISIBLE_DEVICES_NAMESPACES | a..b",
        "NVIDIA_RUNTIME_NAME | ../nvidia",
        "NRI_SOCKET | run/nri.sock",
        "NRI_SOCKET | /run/../etc/shadow",
        "NRI_PLUGIN_INDEX | 100",
      })
  void invalidValue_hasNoEffect_andIsReported(String name, String value) {
    var read =
        read(
            """
            {"toolkit": {"env": [{"name": "%s", "value": "%s"}]}}
            """
                .formatted(name, value));
    assertThat(read.settings()).isEqualTo(ContainerSettings.standard(NAMESPACE));
    assertThat(read.problems())
        .singleElement()
        .satisfies(problem ->
            assertThat(problem.message())
                .startsWith(
                    "ClusterPolicy spec.toolkit.env[%s] is '%s': give ".formatted(name, value))
                .endsWith("; all else is in force"));
  }

  private static ToolkitEnvironment.Read read(String policy) {
    return ToolkitEnvironment.read(ApiJson.read(policy, AgentPolicy.class), NAMESPACE);
  }
}
