package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.plan.MetricsSettings;
import dev.pitcrew.agent.metrics.plan.Part;
import dev.pitcrew.agent.metrics.plan.PodLabels;
import dev.pitcrew.device.inventory.Gpu;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The labels of one part of a node, in the order in which dcgm-exporter writes them: once, or once
/// for each pod and job that shares it.
///
/// @param base which GPU it is
/// @param texts labels from the counters file
/// @param owners what pods and jobs add; one empty entry where none has it
record Series(Map<String, String> base, Map<String, String> texts, List<Owner> owners) {
  /// How names of labels differ on series of links.
  private static final Map<String, String> NAMES_AT_LINKS =
      Map.of("UUID", "gpu_uuid", "uuid", "gpu_uuid", "modelName", "model_name");

  private static final Pattern BLANKS = Pattern.compile("\\s+");

  /// What an owner adds.
  ///
  /// @param labels those of the pod itself, which the texts of the counters file stand among
  /// @param attributes who it is
  record Owner(Map<String, String> labels, Map<String, String> attributes) {}

  /// @param holders who has the part
  /// @param jobs what runs on it
  static Series of(
      Part part,
      Map<String, String> texts,
      List<Holder> holders,
      PodMarks marks,
      List<String> jobs,
      MetricsSettings settings) {
    return new Series(
        base(part, settings),
        texts,
        withJobs(
            holders.isEmpty()
                ? List.of(new Owner(Map.of(), Map.of()))
                : holders.stream().map(it -> owner(part, it, marks, settings)).toList(),
            jobs));
  }

  private static Map<String, String> base(Part part, MetricsSettings settings) {
    Gpu gpu = part.gpu();
    String model = gpu.board().name();
    var base = new LinkedHashMap<String, String>();
    base.put("gpu", String.valueOf(gpu.index()));
    base.put(settings.usesOldNames() ? "uuid" : "UUID", gpu.uuid());
    base.put("pci_bus_id", busId(gpu.pci().address()));
    base.put("device", "nvidia" + gpu.index());
    base.put(
        "modelName", settings.blanksBecomeDashes() ? BLANKS.matcher(model).replaceAll("-") : model);
    part.instance()
        .ifPresent(instance -> {
          base.put("GPU_I_PROFILE", instance.profile());
          base.put("GPU_I_ID", String.valueOf(instance.id()));
        });
    if (!settings.hostname().isEmpty()) {
      base.put(settings.isHostLabelCapital() ? "Hostname" : "hostname", settings.hostname());
    }
    return base;
  }

  /// NVML's own form of an address, with a domain of eight digits.
  private static String busId(String address) {
    int colon = address.indexOf(':');
    String domain = address.substring(0, Math.max(0, colon));
    return "0".repeat(Math.max(0, 8 - domain.length())) + address.toUpperCase(Locale.ROOT);
  }

  private static Owner owner(Part part, Holder holder, PodMarks marks, MetricsSettings settings) {
    PodLabels wanted = settings.pods().labels();
    Map<String, String> labels =
        wanted.isOn()
            ? marks
                .of(holder.namespace(), holder.pod())
                .map(it -> wanted.of(it.labels()))
                .orElse(Map.of())
            : Map.of();
    return new Owner(labels, holder.labels(part, settings.usesOldNames()));
  }

  private static List<Owner> withJobs(List<Owner> pods, List<String> jobs) {
    if (jobs.isEmpty()) {
      return pods;
    }
    var owners = new ArrayList<Owner>();
    for (Owner pod : pods) {
      for (String job : jobs) {
        var attributes = new TreeMap<>(pod.attributes());
        attributes.put("hpc_job", job);
        owners.add(new Owner(pod.labels(), attributes));
      }
    }
    return owners;
  }

  /// Those of one NVLink of the GPU.
  ///
  /// @param number from 1 on
  Series ofLink(int number) {
    var renamed = new LinkedHashMap<String, String>();
    renamed.put("nvlink", String.valueOf(number));
    base.forEach((name, value) -> renamed.put(NAMES_AT_LINKS.getOrDefault(name, name), value));
    return new Series(renamed, texts, owners);
  }

  /// One text of labels for each series.
  List<byte[]> labels() {
    return labels(Map.of(), Map.of());
  }

  /// As [#labels()], with more of them.
  ///
  /// @param more sorted among those of the counters file
  /// @param attributes sorted among those of pods and jobs
  List<byte[]> labels(Map<String, String> more, Map<String, String> attributes) {
    return owners.stream().map(owner -> labels(owner, more, attributes)).toList();
  }

  private byte[] labels(Owner owner, Map<String, String> more, Map<String, String> attributes) {
    var last = new TreeMap<>(owner.attributes());
    last.putAll(attributes);
    var middle = new TreeMap<>(owner.labels());
    middle.putAll(texts);
    middle.putAll(more);
    var all = new LinkedHashMap<>(base);
    middle.forEach((name, value) -> {
      if (!last.containsKey(name)) {
        all.putIfAbsent(name, value);
      }
    });
    last.forEach(all::putIfAbsent);
    return Exposition.labels(all);
  }
}
