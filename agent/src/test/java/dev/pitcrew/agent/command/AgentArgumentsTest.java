package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgentArgumentsTest {
  private static final Map<String, String> POD =
      Map.of(
          "HOST_ROOT", "/host",
          "NODE_NAME", "gpu-1",
          "POD_NAME", "pitcrew-agent-x",
          "OPERATOR_NAMESPACE", "gpu-operator",
          "AGENT_CONFIG_MAP", "",
          "KUBERNETES_SERVICE_HOST", "10.0.0.1",
          "KUBERNETES_SERVICE_PORT", "443");

  @Test
  void thePodOfTheAgentGivesVariablesOnly() {
    var arguments = AgentArguments.plain(POD, "agent").orElseThrow();
    var place = arguments.context(InstantSource.system());

    assertThat(arguments.missing()).isEmpty();
    assertThat(arguments.clears()).isFalse();
    assertThat(place.identity().node()).isEqualTo("gpu-1");
    assertThat(place.identity().pod()).isEqualTo("pitcrew-agent-x");
    assertThat(place.identity().configMap()).as("what is empty").isEqualTo("pitcrew-agent");
    assertThat(place.folders().kubelet()).isEqualTo(Path.of("/var/lib/kubelet/device-plugins"));
    assertThat(place.credentials().server()).hasToString("https://10.0.0.1:443");
  }

  @Test
  void aFlagComesBeforeItsVariable() {
    var arguments =
        AgentArguments.plain(POD, "agent", "--node-name=other", "--clear").orElseThrow();

    assertThat(arguments.text(AgentFlag.NODE_NAME)).isEqualTo("other");
    assertThat(arguments.clears()).isTrue();
  }

  @Test
  void missingArgument_isNamedWithItsRemedy() {
    assertThat(AgentArguments.plain(Map.of(), "agent").orElseThrow().missing())
        .containsExactly(
            "no node: give --node-name or NODE_NAME",
            "no namespace: give --namespace or OPERATOR_NAMESPACE",
            "no API server: this is no pod, so give --server and --service-account");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--help", "--node-name", "--no-such=flag", "word", "-node-name=a", "=", ""})
  void argumentsThatAreNotPlain_areLeftToTheCommandLineParser(String word) {
    assertThat(AgentArguments.plain(POD, "agent", word)).isEmpty();
  }

  @Test
  void anotherCommandIsNotTheAgents() {
    assertThat(AgentArguments.plain(POD, "labels")).isEmpty();
    assertThat(AgentArguments.plain(POD)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void theHelpExplainsEachFlag(AgentFlag flag) {
    var help = CommandRun.of(new NvmlReader(), Map.of(), "agent", "--help");

    assertThat(help.exitCode()).isZero();
    assertThat(help.output()).contains(flag.option() + "=" + flag.label());
  }

  @Test
  void aFlagMayStandApartFromItsValue() {
    var run = CommandRun.of(new NvmlReader(), Map.of(), "agent", "--node-name", "gpu-1");

    assertThat(run.exitCode()).isEqualTo(PitcrewCommand.FAILED);
    assertThat(run.errors()).contains("no namespace").doesNotContain("no node");
  }
}
