package dev.pitcrew.operator.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.policy.PodCause;
import dev.pitcrew.operator.policy.Rollout;
import dev.pitcrew.operator.render.Problem;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class DriverVerdictTest {
  private static final SortedSet<String> ALL_LABELLED = new TreeSet<>();

  @Test
  void withoutNodesItIsReady() {
    assertThat(DriverVerdict.of(List.of(), ALL_LABELLED))
        .isEqualTo(
            new DriverVerdict(
                "ready", "Reconciled", "All resources have been successfully reconciled"));
  }

  @Test
  void imageThatIsMissingForOneKernel_isReportedBesideTheKernelsThatWork() {
    var works =
        new Rollout(
            "nvidia-gpu-driver-one", true, 2, 2, 2, 0, 2, Optional.empty(), Optional.empty());
    var missing =
        new Rollout(
            "nvidia-gpu-driver-other",
            true,
            1,
            1,
            1,
            0,
            0,
            Optional.of(new PodCause("p", "n", true, "ImagePullBackOff")),
            Optional.empty());
    var verdict = DriverVerdict.of(List.of(works, missing), ALL_LABELLED);

    assertThat(verdict.state()).isEqualTo("notReady");
    assertThat(verdict.reason()).isEqualTo("DriverNotReady");
    assertThat(verdict.message())
        .startsWith("Waiting for driver pod to be ready")
        .contains("nvidia-gpu-driver-other", "ImagePullBackOff")
        .doesNotContain("nvidia-gpu-driver-one");
  }

  @Test
  void aNodeThatIsNotLabelledYetIsNamed() {
    assertThat(DriverVerdict.of(List.of(), new TreeSet<>(List.of("blank"))).message())
        .contains("blank");
  }

  @Test
  void otherProblemsHaveTheReasonThatAlertsMatchOn() {
    assertThat(DriverVerdict.refused(new Problem("ConfigMapMissing", "x")).reason())
        .isEqualTo("ReconcileFailed");
    assertThat(DriverVerdict.refused(new Problem("ConflictingNodeSelector", "x")).reason())
        .isEqualTo("ConflictingNodeSelector");
  }
}
