package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.Counter;
import dev.pitcrew.agent.metrics.counters.Field;
import dev.pitcrew.agent.metrics.plan.Part;
import dev.pitcrew.core.names.AgentMetrics;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.gpu.GpuSamples.Seen;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How well the metrics themselves are: what is old, what is missing, and why.
final class OwnMetrics {
  private static final double NANOS = 1e9;

  private OwnMetrics() {}

  static void write(Exposition page, View view) {
    page.metric(
        "pitcrew_metrics_driver_answers",
        Counter.Type.GAUGE,
        "Whether the driver answers (1) or not (0).");
    page.sample(host(view, Map.of()), view.driver().isEmpty() ? 1 : 0, Field.Form.WHOLE);
    if (!view.gpus().isEmpty()) {
      gpus(page, view);
    }
    if (view.driver().isPresent() || !view.problems().isEmpty()) {
      page.metric(
          AgentMetrics.PROBLEM,
          Counter.Type.GAUGE,
          "What does not work, with why; always 1. None where all does.");
      view.driver().ifPresent(why -> problem(page, view, "driver", why));
      view.problems().forEach((what, why) -> problem(page, view, what, why));
    }
  }

  private static void gpus(Exposition page, View view) {
    page.metric(
        AgentMetrics.GPU_ANSWERS,
        Counter.Type.GAUGE,
        "Whether NVML answers about the GPU (1) or not (0); the values of one that does not are its last, until they are left out.");
    for (Gpu gpu : view.gpus()) {
      Seen seen = seen(view, gpu);
      boolean answers = seen.problem().isEmpty() && isFresh(seen, view.settings().staleAfter());
      page.sample(gpu(view, gpu), answers ? 1 : 0, Field.Form.WHOLE);
    }
    page.metric(
        "pitcrew_metrics_sample_age_seconds",
        Counter.Type.GAUGE,
        "How old the values of the GPU are; those older than %d s are left out."
            .formatted(view.settings().staleAfter().toSeconds()));
    for (Gpu gpu : view.gpus()) {
      seen(view, gpu)
          .last()
          .ifPresent(sample ->
              page.sample(
                  gpu(view, gpu),
                  View.age(sample.takenNanos()).toNanos() / NANOS,
                  Field.Form.DECIMAL));
    }
    unsupported(page, view);
  }

  private static void unsupported(Exposition page, View view) {
    var missing = new LinkedHashMap<Gpu, List<String>>();
    for (Gpu gpu : view.gpus()) {
      seen(view, gpu)
          .last()
          .map(sample -> view.plan().without(sample.unsupported()))
          .filter(fields -> !fields.isEmpty())
          .ifPresent(fields -> missing.put(gpu, fields));
    }
    if (missing.isEmpty()) {
      return;
    }
    page.metric(
        "pitcrew_metrics_unsupported",
        Counter.Type.GAUGE,
        "Counters that are asked for and that NVML does not support on the GPU; always 1.");
    missing.forEach((gpu, fields) ->
        fields.forEach(
            field -> page.sample(gpu(view, gpu, Map.of("field", field)), 1, Field.Form.WHOLE)));
  }

  private static Seen seen(View view, Gpu gpu) {
    return view.samples().apply(gpu.index());
  }

  private static boolean isFresh(Seen seen, Duration limit) {
    return seen.last()
        .filter(sample -> View.age(sample.takenNanos()).compareTo(limit) < 0)
        .isPresent();
  }

  private static void problem(Exposition page, View view, String what, String why) {
    page.sample(host(view, Map.of("about", what, "why", why)), 1, Field.Form.WHOLE);
  }

  private static byte[] gpu(View view, Gpu gpu) {
    return gpu(view, gpu, Map.of());
  }

  /// The labels of a GPU's own metrics, with more of them.
  static byte[] gpu(View view, Gpu gpu, Map<String, String> more) {
    var labels = new LinkedHashMap<>(more);
    labels.put("gpu", String.valueOf(gpu.index()));
    labels.put("UUID", gpu.uuid());
    return host(view, labels);
  }

  /// The same of a part, which is the GPU or an instance of it.
  static byte[] part(View view, Part part, Map<String, String> more) {
    var labels = new LinkedHashMap<>(more);
    part.instance()
        .ifPresent(instance -> {
          labels.put("GPU_I_PROFILE", instance.profile());
          labels.put("GPU_I_ID", String.valueOf(instance.id()));
        });
    return gpu(view, part.gpu(), labels);
  }

  private static byte[] host(View view, Map<String, String> labels) {
    var all = new LinkedHashMap<String, String>();
    labels.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> all.put(entry.getKey(), entry.getValue()));
    if (!view.settings().hostname().isEmpty()) {
      all.put(
          view.settings().isHostLabelCapital() ? "Hostname" : "hostname",
          view.settings().hostname());
    }
    return Exposition.labels(all);
  }
}
