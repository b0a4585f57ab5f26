package dev.pitcrew.operator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.metrics.ToolkitGauges;
import dev.pitcrew.operator.metrics.ToolkitGauges.Availability;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What the metrics say of OpenShift's driver toolkit.
class ToolkitStateTest {
  private static final String RELEASE = "416.94.202405";
  private static final Map<String, String> IMAGES = Map.of(RELEASE, "example.com/dtk:1");

  @Test
  void elsewhereItIsNotAskedFor() {
    assertThat(state("", Facts.oneNode()))
        .isEqualTo(new ToolkitGauges(Availability.NOT_REQUESTED, false, false, false, false));
    assertThat(state("driver: {usePrecompiled: true}", coreOs().driverToolkit(IMAGES)))
        .isEqualTo(new ToolkitGauges(Availability.NOT_REQUESTED, false, false, false, false));
  }

  @Test
  void aStreamWithATagForEachReleaseIsUsed() {
    assertThat(state("", coreOs().driverToolkit(IMAGES)))
        .isEqualTo(new ToolkitGauges(Availability.ENABLED, false, false, false, false));
  }

  @Test
  void aMissingTagOrStreamIsNamed() {
    assertThat(state("", coreOs().driverToolkit(Map.of("older", "example.com/dtk:0"))))
        .isEqualTo(new ToolkitGauges(Availability.ENABLED, false, false, true, false));
    assertThat(state("", coreOs()))
        .isEqualTo(new ToolkitGauges(Availability.NOT_POSSIBLE, false, true, false, false));
  }

  @Test
  void nodesWithoutTheLabelOfTheirReleaseAreNamed() {
    assertThat(state("", Facts.openShift().driverToolkit(IMAGES)))
        .isEqualTo(new ToolkitGauges(Availability.NOT_POSSIBLE, true, false, false, false));
  }

  private static Facts coreOs() {
    return Facts.cluster().openShift("4.16").coreOs(RELEASE);
  }

  private static ToolkitGauges state(String policy, Facts facts) {
    return ToolkitState.of(Rendered.context(policy, facts));
  }
}
