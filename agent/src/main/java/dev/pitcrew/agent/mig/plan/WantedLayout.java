package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.agent.mig.config.MigEntry;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigNode;
import dev.pitcrew.device.mig.MigPartitioning;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// How the GPUs of a node are to be divided: what the entries of a label want, each GPU what the
/// last entry says that matches it. A GPU that none matches is left as it is.
///
/// @param isModeOnly whether nothing but the MIG mode is wanted
public record WantedLayout(List<MigEntry> entries, boolean isModeOnly) implements DesiredLayout {
  public WantedLayout {
    entries = List.copyOf(entries);
  }

  private Optional<MigEntry> entry(MigGpu gpu) {
    return entries.stream().filter(entry -> entry.matches(gpu)).reduce((_, last) -> last);
  }

  // "All" are all that can be divided; one that is named must be.
  private Optional<ProfileCounts> demand(MigGpu gpu) {
    return entry(gpu)
        .filter(
            entry -> !(entry.isForAll() && gpu.division() instanceof MigPartitioning.NotCapable))
        .map(entry -> new ProfileCounts(entry.isEnabled(), entry.counts()));
  }

  @Override
  public Optional<GpuPlan> plan(MigGpu gpu) {
    return demand(gpu)
        .map(demand -> isModeOnly ? modePlan(gpu, demand) : Planner.plan(gpu, demand));
  }

  private static GpuPlan modePlan(MigGpu gpu, ProfileCounts demand) {
    boolean isMet = demand.isMetInMode(gpu.division());
    return isMet && gpu.division() instanceof MigPartitioning.Capable capable
        ? Planner.plan(gpu, Target.of(capable))
        : Planner.plan(gpu, new Target(demand.isEnabled(), List.of()));
  }

  @Override
  public Optional<String> refusal(List<MigGpu> gpus) {
    boolean wantsMig = entries.stream().anyMatch(MigEntry::isEnabled);
    boolean isPossible =
        gpus.stream().anyMatch(gpu -> gpu.division() instanceof MigPartitioning.Capable);
    return wantsMig && !isPossible
        ? Optional.of("this node has no GPU that can be divided (no MIG-capable GPU)")
        : Optional.empty();
  }

  @Override
  public Optional<String> mismatch(MigNode node) {
    boolean isAboutOne =
        node.gpus().stream().anyMatch(gpu -> entry(gpu).isPresent())
            || node.unreadable().stream().anyMatch(gpu -> concerns(gpu, node.gpus()));
    return isAboutOne || entries.isEmpty() || node.gpus().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the configuration matches no GPU of this node: it is for %s; the node has %s"
                .formatted(
                    entries.stream().map(MigEntry::matchText).collect(Collectors.joining(" and ")),
                    node.gpus().stream().map(Planner::name).collect(Collectors.joining(", "))));
  }

  /// The board of an unreadable GPU is unknown, so that every filter may match it.
  @Override
  public boolean concerns(UnreadableGpu gpu, List<MigGpu> readable) {
    return entries.stream()
        .anyMatch(entry -> entry.devices().map(list -> list.contains(gpu.index())).orElse(true));
  }

  /// Whether the GPUs have this layout. As in `assert` of NVIDIA's mig-parted, an entry has to
  /// match every GPU; where only the mode is requested, GPUs that no entry matches do not count.
  public boolean isMet(List<MigGpu> gpus) {
    return refusals(new MigNode(gpus, List.of())).isEmpty() && gpus.stream().allMatch(this::isMet);
  }

  private boolean isMet(MigGpu gpu) {
    if (entry(gpu).isEmpty()) {
      return isModeOnly;
    }
    return demand(gpu)
        .map(demand ->
            isModeOnly ? demand.isMetInMode(gpu.division()) : demand.isMet(gpu.division()))
        .orElse(true);
  }

  /// The GPUs that are not divided so, each with what it is and what it should be.
  public List<String> differences(List<MigGpu> gpus) {
    return gpus.stream()
        .filter(gpu -> !isMet(gpu))
        .map(gpu ->
            entry(gpu).isEmpty()
                ? "no entry of the configuration matches %s".formatted(Planner.name(gpu))
                : "GPU %d is '%s', not '%s'"
                    .formatted(gpu.index(), LayoutText.of(gpu.division()), after(gpu)))
        .toList();
  }

  /// How a GPU is to be divided, in words.
  public String after(MigGpu gpu) {
    return demand(gpu)
        .map(demand ->
            isModeOnly && demand.isEnabled()
                ? "MIG on"
                : LayoutText.of(demand.isEnabled(), demand.byName()))
        .orElseGet(() -> LayoutText.of(gpu.division()));
  }
}
