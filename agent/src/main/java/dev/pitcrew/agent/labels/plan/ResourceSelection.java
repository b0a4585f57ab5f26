package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.sharing.MigStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Which resources a node has under its MIG strategy, and their labels.
final class ResourceSelection {
  private static final String GPU = GpuLabels.PREFIX + "gpu";
  private static final String MIG_STRATEGY = GpuLabels.PREFIX + "mig.strategy";

  private final List<Gpu> gpus;
  private final List<Gpu> divided;
  private final AgentConfig config;
  private final List<String> warnings = new ArrayList<>();

  ResourceSelection(List<Gpu> gpus, AgentConfig config) {
    this.gpus = gpus;
    this.divided = gpus.stream().filter(gpu -> gpu.mig().isEnabled()).toList();
    this.config = config;
  }

  List<String> warnings() {
    return List.copyOf(warnings);
  }

  /// The labels of `model` as whole GPUs; they count those in MIG mode as well.
  Map<String, String> ofGpus(GpuModel model) {
    OfferTerms offer =
        model.hasWhole() ? OfferTerms.of(GPU, config.sharing()) : OfferTerms.NOT_AS_A_WHOLE;
    return new ResourceLabels(GPU, offer).ofGpus(model.example().board(), model.gpus().size());
  }

  /// What the MIG strategy adds to them or replaces.
  Map<String, String> ofMig() {
    MigStrategy strategy = config.migStrategy();
    var labels = new TreeMap<String, String>();
    switch (strategy) {
      case NONE -> {}
      case SINGLE -> labels.putAll(single());
      case MIXED -> labels.putAll(mixed());
    }
    if (strategy != MigStrategy.NONE) {
      labels.put(MIG_STRATEGY, strategy.name().toLowerCase(Locale.ROOT));
    }
    return labels;
  }

  private Map<String, String> single() {
    if (divided.isEmpty()) {
      return Map.of();
    }
    SortedMap<String, MigDevices> profiles = MigDevices.byProfile(divided);
    var resource = new ResourceLabels(GPU, OfferTerms.of(GPU, config.sharing()));
    boolean uniform =
        divided.size() == gpus.size()
            && profiles.size() == 1
            && divided.stream().noneMatch(ResourceSelection::isEmpty);
    if (uniform) {
      return profiles.firstEntry().getValue().labels(resource);
    }
    warnings.add(
        "MIG strategy single needs all GPUs divided into one profile; this node has %d of %d GPUs in MIG mode, with the profiles %s"
            .formatted(divided.size(), gpus.size(), profiles.keySet()));
    return resource.ofInvalidLayout(divided.getFirst().board().name());
  }

  private Map<String, String> mixed() {
    var labels = new TreeMap<String, String>();
    MigDevices.byProfile(divided).values().forEach(devices -> labels.putAll(ofProfile(devices)));
    return labels;
  }

  private Map<String, String> ofProfile(MigDevices devices) {
    String profile = devices.devices().getFirst().device().profile().dottedName();
    String name = GpuLabels.PREFIX + "mig-" + profile;
    return devices.labels(new ResourceLabels(name, OfferTerms.of(name, config.sharing())));
  }

  private static boolean isEmpty(Gpu gpu) {
    return gpu.mig().migDevices().isEmpty();
  }
}
