package dev.pitcrew.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// WITH_WORKLOAD of the validator's part `cuda`, read as the reference's flag `--with-workload` is
/// (cmd/nvidia-validator/main.go and urfave/cli).
class CudaWorkloadTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{} | true",
        "{'validator': {'env': [{'name': 'WITH_WORKLOAD', 'value': 'false'}]}} | true",
        "{'validator': {'plugin': {'env': [{'name': 'WITH_WORKLOAD', 'value': 'false'}]}}} | true",
        "{'validator': {'cuda': {'env': [{'name': 'WITH_WORKLOAD', 'value': 'true'}]}}} | true",
        "{'validator': {'cuda': {'env': [{'name': 'WITH_WORKLOAD', 'value': 'False'}]}}} | false",
        "{'validator': {'cuda': {'env': [{'name': 'WITH_WORKLOAD', 'value': '0'}]}}} | false",
        "{'validator': {'cuda': {'env': [{'name': 'WITH_WORKLOAD'}]}}} | false",
        "{'validator': {'cuda': {'env': [{'name': 'WITH_WORKLOAD', 'value': 'maybe'}]}}} | true",
      })
  void gpusAreCheckedUnlessTheyAreNotToBe(String policy, boolean isChecked) {
    assertThat(Said.everything().policy(policy).settings().checksCuda()).isEqualTo(isChecked);
  }

  @Test
  void nothingIsCheckedWhereTheAgentDoesNotValidate() {
    assertThat(Said.all().policy("{}").settings().checksCuda()).isFalse();
  }

  @Test
  void unknownValue_isReported() {
    var said =
        Said.everything()
            .policy(
                "{'validator': {'cuda': {'env': [{'name': 'WITH_WORKLOAD', 'value': 'maybe'}]}}}");

    assertThat(said.settings().problems())
        .extracting(SettingsProblem::message)
        .contains(
            "ClusterPolicy spec.validator.cuda.env[WITH_WORKLOAD] is 'maybe': must be true or false;"
                + " the GPUs are checked; all else is in force");
  }
}
