package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.mig.DividedGpu;
import java.util.List;
import java.util.Optional;

/// Something that cannot be wanted of any GPU.
///
/// @param reason in plain words
public record Unwanted(String reason) implements Wish {

  @Override
  public Optional<GpuPlan> plan(DividedGpu gpu) {
    return Optional.empty();
  }

  @Override
  public Optional<String> refusal(List<DividedGpu> gpus) {
    return Optional.of(reason);
  }

  @Override
  public boolean concerns(UnreadableGpu gpu, List<DividedGpu> readable) {
    return false;
  }
}
