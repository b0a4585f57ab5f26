package dev.pitcrew.operator.runtime.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.operator.upgrade.Validation;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Whether a node counts as validated by what its agent says, and as unhealthy.
class ValidationsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # image of the driver pod       | driver | DriverReady | DevicesAdvertised | Validated | verdict
          driver:600.10.01-ubuntu22.04    | 600.10.01 | True  | True  | True  | passed
          driver:600.10.01-ubuntu22.04    | 595.91.07 | True  | True  | True  | the agent sees driver 595.91.07, and 600.10.01 is installed
          driver:600.10.01-ubuntu22.04    | none      | True  | True  | True  | the agent sees no driver, and 600.10.01 is installed
          driver:600.10.01-ubuntu22.04    | none      | False | True  | True  | the agent sees no driver, and 600.10.01 is installed; DriverReady: because of this
          driver:600-5.15-generic         | 600.10.01 | True  | True  | True  | passed
          driver:600-5.15-generic         | 60.10.01  | True  | True  | True  | the agent sees driver 60.10.01, and 600 is installed
          host:5000/driver:600.10.01      | 600.10.01 | True  | True  | True  | passed
          host:5000/driver                | 600.10.01 | True  | True  | True  | passed
          driver:600.10.01@sha256:0123    | 595.91.07 | True  | True  | True  | the agent sees driver 595.91.07, and 600.10.01 is installed
          driver@sha256:0123              | 595.91.07 | True  | True  | True  | passed
          driver:600.10.01-ubuntu22.04    | 600.10.01 | False | True  | True  | DriverReady: because of this
          driver:600.10.01-ubuntu22.04    | 600.10.01 | True  | False | True  | DevicesAdvertised: because of this
          driver:600.10.01-ubuntu22.04    | 600.10.01 | True  | True  | False | Validated: because of this
          driver:600.10.01-ubuntu22.04    | 600.10.01 | True  | True  |       | Validated: the agent has not said so yet
          """)
  void theWordOfTheAgent(
      String image,
      String driver,
      String ready,
      String advertised,
      String validated,
      String verdict) {
    var report =
        report(
            "{driver: {%s phase: Ready}, conditions: [%s %s %s]}"
                .formatted(
                    driver.equals("none") ? "" : "version: " + driver + ",",
                    condition("DriverReady", ready),
                    condition("DevicesAdvertised", advertised),
                    condition("Validated", validated)));

    assertThat(words(Validations.byAgent(Optional.of(report), Optional.of(driverPod(image)))))
        .isEqualTo(verdict);
  }

  @Test
  void anAgentThatHasSaidNothingIsNamed() {
    assertThat(words(Validations.byAgent(Optional.empty(), Optional.of(driverPod("driver:1")))))
        .startsWith("the agent of the node has said nothing yet");
    assertThat(words(Validations.byPods(List.of())))
        .isEqualTo("there is no nvidia-operator-validator pod on the node yet");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # Healthy | since                | is unhealthy by the driver, which came at 08:00
          True      | 2026-11-22T09:00:00Z | no
          False     | 2026-11-22T07:59:59Z | no
          False     | 2026-11-22T08:00:00Z | because of this
          False     | yesterday            | no
          """)
  void aGpuIsUnhealthyByTheDriverOnlyIfItGotSoAfterwards(
      String healthy, String since, String verdict) {
    var report =
        report(
            "{conditions: [{type: Healthy, status: '%s', reason: Any, message: because of this, lastTransitionTime: '%s'}]}"
                .formatted(healthy, since));

    assertThat(
            Validations.unhealthyReason(Optional.of(report), Optional.of(driverPod("driver:1")))
                .orElse("no"))
        .isEqualTo(verdict);
  }

  private static String condition(String type, String status) {
    return status == null
        ? ""
        : "{type: %s, status: '%s', reason: Any, message: because of this, lastTransitionTime: '2026-11-22T08:00:00Z'},"
            .formatted(type, status);
  }

  private static GpuNodeStatus report(String yaml) {
    return ApiJson.read(
        Serialization.unmarshal("---\n" + yaml, JsonNode.class), GpuNodeStatus.class);
  }

  private static Pod driverPod(String image) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("driver")
        .withCreationTimestamp("2026-11-22T08:00:00Z")
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("nvidia-driver-ctr")
        .withImage(image)
        .endContainer()
        .endSpec()
        .build();
  }

  private static String words(Validation validation) {
    return switch (validation) {
      case Validation.Passed _ -> "passed";
      case Validation.Pending(String blocker) -> blocker;
    };
  }
}
