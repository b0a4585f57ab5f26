package dev.pitcrew.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.settings.FunctionState.Off;
import dev.pitcrew.agent.settings.FunctionState.Paused;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The operator's document, when it is not what it should be.
class DocumentTest {
  private static final String FIELD = "ConfigMap gpu-operator/pitcrew-agent key agent.json: ";

  static Stream<Arguments> unreadable() {
    return Stream.of(
        Arguments.of("absent", Said.all().withoutDocument(), "it is not there"),
        Arguments.of("empty", Said.all().document(""), "it is no JSON object"),
        Arguments.of("no JSON", Said.all().document("{'functions': ["), "it is no JSON object"),
        Arguments.of("a list", Said.all().document("[]"), "it is no JSON object"),
        Arguments.of("null", Said.all().document("null"), "it is no JSON object"),
        Arguments.of(
            "without a version",
            Said.all().document("{'functions': []}"),
            "AgentDocument: apiVersion is missing"),
        Arguments.of(
            "a wrong type",
            Said.all().document("{'apiVersion': 'pitcrew.dev/v1alpha1', 'functions': 'all'}"),
            "AgentDocument: functions is \"all\", but must be a list"),
        Arguments.of(
            "a wrong type in a section",
            Said.all().policy("{'devicePlugin': {'enabled': 'perhaps'}}"),
            "AgentDocument: clusterPolicy.devicePlugin.enabled is \"perhaps\", but must be true or"
                + " false"),
        Arguments.of(
            "a newer version",
            Said.all().document("{'apiVersion': 'pitcrew.dev/v2', 'functions': {}}"),
            "apiVersion is 'pitcrew.dev/v2': this agent reads pitcrew.dev/v1alpha1 only"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unreadable")
  void theLastDocumentStaysInForce(String what, Said wrong, String message) {
    var before = Said.all().policy("{'mig': {'strategy': 'mixed'}}");
    var after = wrong.label(Said.PLUGIN, "paused-for-mig-change").after(before);

    assertThat(after.settings().plugin()).isEqualTo(before.settings().plugin()).isPresent();
    assertThat(after.settings().state(NodeFunction.DEVICE_PLUGIN))
        .isEqualTo(new Paused("paused-for-mig-change"));
    assertThat(after.settings().isOn(NodeFunction.GPU_LABELS)).isTrue();
    assertThat(after.settings().problems())
        .singleElement()
        .extracting(SettingsProblem::message)
        .asString()
        .startsWith(FIELD + message)
        .endsWith("; still using the previous configuration");
    assertThat(after.source().agentJson()).isEqualTo(before.source().agentJson());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unreadable")
  void withoutALastDocumentEverythingIsOff(String what, Said wrong, String message) {
    var settings = wrong.settings();

    assertThat(settings.functions().values())
        .allSatisfy(state ->
            assertThat(state)
                .isInstanceOfSatisfying(
                    Off.class, off -> assertThat(off.why()).startsWith(FIELD + message)));
    assertThat(settings.problems()).hasSize(1);
    assertThat(settings.configMap()).isEmpty();
  }

  @Test
  void sectionsThatTheAgentDoesNotReadCannotMakeTheOthersUnreadable() {
    var settings =
        Said.all()
            .policy("{'dcgm': {'enabled': 'perhaps'}, 'mig': {'strategy': 'single'}}")
            .settings();

    assertThat(settings.problems()).isEmpty();
    assertThat(settings).isEqualTo(Said.all().policy("{'mig': {'strategy': 'single'}}").settings());
  }

  @Test
  void theDriverIsWhereThePolicySays() {
    var moved = Said.all().policy("{'hostPaths': {'driverInstallDir': '/opt/driver'}}");

    assertThat(moved.settings().driverFolder()).isEqualTo("/opt/driver");
    assertThat(Said.all().settings().driverFolder()).isEqualTo("/run/nvidia/driver");
  }
}
