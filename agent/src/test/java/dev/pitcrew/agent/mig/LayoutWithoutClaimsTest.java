package dev.pitcrew.agent.mig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.mig.plan.DesiredLayout;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.InvalidLayout;
import dev.pitcrew.agent.mig.plan.Step;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.device.mig.PciIds;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The label of the Node does not divide GPUs that claims divide.
class LayoutWithoutClaimsTest {
  private static final List<MigGpu> GPUS = List.of(gpu(0), gpu(1));

  /// MIG mode for all GPUs.
  private static final DesiredLayout ON =
      new DesiredLayout() {
        @Override
        public Optional<GpuPlan> plan(MigGpu gpu) {
          return Optional.of(new GpuPlan.Steps(gpu, List.of(new Step.SetMode(true))));
        }

        @Override
        public Optional<String> refusal(List<MigGpu> gpus) {
          return Optional.empty();
        }

        @Override
        public boolean concerns(UnreadableGpu gpu, List<MigGpu> readable) {
          return true;
        }
      };

  private static MigGpu gpu(int index) {
    return new MigGpu(
        index,
        "GPU-" + index,
        "0000:0%d:00.0".formatted(index),
        new PciIds(0x233010DE, 0),
        new ComputeCapability(9, 0),
        new MigPartitioning.Capable(false, false, List.of(), List.of(), List.of()));
  }

  @Test
  void gpuThatClaimsDivideIsLeftAndNamed() {
    DesiredLayout wish = LayoutWithoutClaims.of(ON, Set.of("GPU-1"));

    assertThat(wish.steps(GPUS)).extracting(plan -> plan.gpu().index()).containsExactly(0);
    assertThat(LayoutWithoutClaims.left(wish, GPUS))
        .singleElement()
        .asString()
        .contains("GPU 1", "nvidia.com/mig.config", "claims");
  }

  @Test
  void withoutClaimsTheLayoutIsForAllGpus() {
    assertThat(LayoutWithoutClaims.of(ON, Set.of())).isSameAs(ON);
    assertThat(LayoutWithoutClaims.left(ON, GPUS)).isEmpty();
  }

  @Test
  void layoutThatIsInvalidSaysSoAlsoWhereClaimsDivideGpus() {
    var invalid = new InvalidLayout("no such layout");

    assertThat(LayoutWithoutClaims.of(invalid, Set.of("GPU-1"))).isSameAs(invalid);
  }
}
