package dev.pitcrew.agent.mig;

import dev.pitcrew.agent.mig.plan.DesiredLayout;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.InvalidLayout;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The layout of a node without the GPUs whose MIG devices are made for claims: the claims divide
/// these, and two owners of the instances of one GPU would destroy each other's.
///
/// @param byClaims those GPUs, by UUID
record LayoutWithoutClaims(DesiredLayout layout, Set<String> byClaims) implements DesiredLayout {
  LayoutWithoutClaims {
    byClaims = Set.copyOf(byClaims);
  }

  static DesiredLayout of(DesiredLayout layout, Set<String> byClaims) {
    return byClaims.isEmpty() || layout instanceof InvalidLayout
        ? layout
        : new LayoutWithoutClaims(layout, byClaims);
  }

  @Override
  public Optional<GpuPlan> plan(MigGpu gpu) {
    return byClaims.contains(gpu.uuid()) ? Optional.empty() : layout.plan(gpu);
  }

  @Override
  public Optional<String> refusal(List<MigGpu> gpus) {
    return layout.refusal(gpus);
  }

  @Override
  public Optional<String> mismatch(MigNode node) {
    return layout.mismatch(node);
  }

  @Override
  public boolean concerns(UnreadableGpu gpu, List<MigGpu> readable) {
    return layout.concerns(gpu, readable);
  }

  /// Why GPUs are not divided as the layout says, a line for each.
  static List<String> left(DesiredLayout wish, List<MigGpu> gpus) {
    if (!(wish instanceof LayoutWithoutClaims(var layout, var byClaims))) {
      return List.of();
    }
    return gpus.stream()
        .filter(gpu -> byClaims.contains(gpu.uuid()))
        .filter(gpu -> layout.plan(gpu).filter(plan -> !isMet(plan)).isPresent())
        .map(gpu ->
            "GPU %d is not divided by the Node label %s: claims serve it, and its MIG devices are made for them"
                .formatted(gpu.index(), NodeLabels.MIG_CONFIG))
        .toList();
  }

  private static boolean isMet(GpuPlan plan) {
    return plan instanceof GpuPlan.Steps steps && steps.isNothing();
  }
}
