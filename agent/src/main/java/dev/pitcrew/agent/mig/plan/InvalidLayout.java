package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.mig.MigGpu;
import java.util.List;
import java.util.Optional;

/// Something that cannot be wanted of any GPU.
///
/// @param reason in plain words
public record InvalidLayout(String reason) implements DesiredLayout {

  @Override
  public Optional<GpuPlan> plan(MigGpu gpu) {
    return Optional.empty();
  }

  @Override
  public Optional<String> refusal(List<MigGpu> gpus) {
    return Optional.of(reason);
  }

  @Override
  public boolean concerns(UnreadableGpu gpu, List<MigGpu> readable) {
    return false;
  }
}
