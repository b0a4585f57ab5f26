package dev.pitcrew.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Fields that the schema accepts and the API server would refuse in a pod.
class SectionCheckTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{requests: {cpu: '2'}, limits: {cpu: '1'}}            | requests.cpu is \"2\": the limit is 1, and a request must not exceed it",
        "{requests: {memory: 2Gi}, limits: {memory: 2000Mi}}   | requests.memory is \"2Gi\": the limit is 2000Mi, and a request must not exceed it",
        "{limits: {memory: 12Qx}}                              | limits.memory is \"12Qx\": give a quantity of zero or more, such as 500m or 2Gi",
        "{requests: {cpu: '-1'}}                               | requests.cpu is \"-1\": give a quantity of zero or more, such as 500m or 2Gi",
      })
  void resourcesThatNoContainerCanAskForAreNamed(String resources, String message) {
    var rendered = Rendered.of("dcgm: {resources: " + resources + "}", Facts.oneNode());

    assertThat(rendered.problems()).containsExactly("spec.dcgm.resources." + message);
    assertThat(rendered.blocked()).containsExactly("state-dcgm");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}",
        "{requests: {cpu: 1}}",
        "{requests: {cpu: 1000m, memory: 0.5Gi}, limits: {cpu: 1, memory: 512Mi}}",
      })
  void resourcesWithinTheirLimitsAreFine(String resources) {
    assertThat(Rendered.of("dcgm: {resources: " + resources + "}", Facts.oneNode()).problems())
        .isEmpty();
  }

  @Test
  void argumentsAreHandedOverAsTheyAreForOnlyTheOperandKnowsThem() {
    var rendered = Rendered.of("dcgm: {args: ['--memory=12Qx']}", Facts.oneNode());

    assertThat(rendered.problems()).isEmpty();
    assertThat(rendered.daemonSet("nvidia-dcgm").main().args()).containsExactly("--memory=12Qx");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dcgm: {env: [{name: GOOD}, {name: 'A=B'}]}        | spec.dcgm.env[1].name is \"A=B\"",
        "driver: {env: [{name: ''}]}                       | spec.driver.env[0].name is empty",
        "driver: {manager: {env: [{name: 'ä'}]}}           | spec.driver.manager.env[0].name is \"ä\"",
      })
  void aVariableThatCannotBeSetIsNamed(String policy, String message) {
    assertThat(Rendered.of(policy, Facts.oneNode()).problems())
        .singleElement()
        .asString()
        .startsWith(message);
  }

  @ParameterizedTest
  @CsvSource({"startupProbe", "livenessProbe"})
  void aProbeThatRestartsAContainerAsksForOneSuccess(String probe) {
    var policy = "driver: {" + probe + ": {successThreshold: 2}}";

    assertThat(Rendered.of(policy, Facts.oneNode()).problems())
        .containsExactly(
            "spec.driver.%s.successThreshold is \"2\": only a readiness probe may ask for more than one success; set it to 1"
                .formatted(probe));
  }

  @Test
  void invalidSection_leavesOtherOperandsAlone() {
    var rendered = Rendered.of("toolkit: {repository: half.io}", Facts.oneNode());

    assertThat(rendered.blocked()).containsExactly("state-container-toolkit");
    assertThat(rendered.daemonSets())
        .contains("nvidia-dcgm", "nvidia-driver-daemonset")
        .doesNotContain("nvidia-container-toolkit-daemonset");
  }
}
