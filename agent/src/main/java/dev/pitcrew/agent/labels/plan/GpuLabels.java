package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.sharing.Sharing.Strategy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// All labels that GPU feature discovery gives a node. GPUs that cannot be read are left out; they
/// take none of the others' labels along.
public final class GpuLabels {
  static final String PREFIX = "nvidia.com/";
  private static final String UNKNOWN_MACHINE = "unknown";

  private final Inventory inventory;
  private final MachineFacts machine;
  private final AgentConfig config;
  private final SortedMap<String, String> labels = new TreeMap<>();
  private final List<String> warnings = new ArrayList<>();

  private GpuLabels(Inventory inventory, MachineFacts machine, AgentConfig config) {
    this.inventory = inventory;
    this.machine = machine;
    this.config = config;
  }

  /// @param clock gives the value of `nvidia.com/gfd.timestamp`
  public static Labelling of(
      Inventory inventory, MachineFacts machine, AgentConfig config, InstantSource clock) {
    Optional<Gpu> unshareable = firstUnshareable(inventory, config);
    return unshareable.isPresent()
        ? new Labelling.Refused(refusal(unshareable.get()))
        : new GpuLabels(inventory, machine, config).labels(clock);
  }

  /// MPS cannot share a GPU in MIG mode; GPU feature discovery makes no labels then.
  private static Optional<Gpu> firstUnshareable(Inventory inventory, AgentConfig config) {
    return inventory.gpus().stream()
        .filter(gpu -> config.sharing().strategy() == Strategy.MPS && gpu.mig().isEnabled())
        .findFirst();
  }

  private static String refusal(Gpu gpu) {
    return "sharing.mps cannot share GPU %d (%s), which is in MIG mode: switch MIG off or use sharing.timeSlicing"
        .formatted(gpu.index(), gpu.uuid());
  }

  /// In the order in which GPU feature discovery lets one label replace another.
  private Labelling labels(InstantSource clock) {
    if (!config.labels().noTimestamp()) {
      put("gfd.timestamp", String.valueOf(clock.instant().getEpochSecond()));
    }
    if (!inventory.gpus().isEmpty()) {
      put("gpu.machine", machine.machineType().map(LabelValue::sanitised).orElse(UNKNOWN_MACHINE));
      putAll(VersionLabels.of(inventory.driver()));
      put("mig.capable", inventory.gpus().stream().anyMatch(gpu -> gpu.mig().isCapable()));
      put("mps.capable", config.sharing().strategy() == Strategy.MPS);
      putResources();
      put("gpu.mode", GpuMode.of(inventory.gpus()).value());
      putClique();
    }
    putAll(VgpuLabels.of(machine.virtualGpus()));
    inventory.unreadable().forEach(gpu -> warnings.add(unreadable(gpu.index(), gpu.reason())));
    labels.replaceAll((_, value) -> LabelValue.legal(value));
    return new Labelling.Labels(labels, warnings);
  }

  private void putResources() {
    List<GpuModel> models = GpuModel.of(inventory.gpus());
    GpuModel model = GpuModel.describing(models).orElseThrow();
    if (models.size() > 1) {
      warnings.add(
          "the node has several models (%s); its labels describe %s"
              .formatted(names(models), model.name()));
    }
    var resources = new ResourceSelection(inventory.gpus(), config);
    putAll(resources.ofGpus(model));
    putAll(resources.ofMig());
    warnings.addAll(resources.warnings());
  }

  private void putClique() {
    var clique = Clique.of(inventory.gpus());
    switch (clique) {
      case Clique.None() -> {}
      case Clique.One(var value) -> put("gpu.clique", value);
      case Clique.Several() ->
          warnings.add("the GPUs belong to more than one NVLink clique; no label says which");
    }
  }

  private void put(String key, String value) {
    labels.put(PREFIX + key, value);
  }

  private void put(String key, boolean value) {
    put(key, String.valueOf(value));
  }

  private void putAll(Map<String, String> more) {
    labels.putAll(more);
  }

  private static String names(List<GpuModel> models) {
    return models.stream().map(GpuModel::name).collect(Collectors.joining(", "));
  }

  private static String unreadable(int index, String reason) {
    return "GPU %d cannot be read (%s); the labels are those of the others"
        .formatted(index, reason);
  }
}
