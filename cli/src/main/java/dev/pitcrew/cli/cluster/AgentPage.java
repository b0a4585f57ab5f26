package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.cluster.GpuUse.Holder;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import dev.pitcrew.core.names.AgentMetrics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A page of an agent's metrics, read line by line; only what `top` shows is kept.
final class AgentPage {
  /// More GPUs and MIG devices than any node has, or more pods: something else has answered.
  private static final int MOST = 4096;

  private static final Pattern LINE =
      Pattern.compile("(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)\\{(?<labels>.*)} (?<value>[^ ]+).*");

  private static final Pattern LABEL =
      Pattern.compile("(?<name>[a-zA-Z_][a-zA-Z0-9_]*)=\"(?<value>(?:[^\"\\\\]|\\\\.)*)\",?");

  private static final String HOLDERS_FOLLOW = "# TYPE " + AgentMetrics.HOLDER + " ";
  private static final double PERCENT = 100;
  private static final double MIB = 1 << 20;

  /// What a line is about, by the two names that DCGM has for each field, and the agent's own.
  private enum Subject {
    UTILISATION,
    ENGINE_RATIO,
    USED_MIB,
    FREE_MIB,
    RESERVED_MIB,
    WATTS,
    CELSIUS,
    ANSWERS,
    BELOW,
    HELD,
    POD_RATIO,
    POD_BYTES,
    PROBLEM
  }

  private static final Map<String, Subject> SUBJECTS =
      Map.ofEntries(
          Map.entry("DCGM_FI_DEV_GPU_UTIL", Subject.UTILISATION),
          Map.entry("DCGM_FI_DEV_GPU_UTIL_RATIO", Subject.UTILISATION),
          Map.entry("DCGM_FI_PROF_GR_ENGINE_ACTIVE", Subject.ENGINE_RATIO),
          Map.entry("DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO", Subject.ENGINE_RATIO),
          Map.entry("DCGM_FI_DEV_FB_USED", Subject.USED_MIB),
          Map.entry("DCGM_FI_DEV_FB_FREE", Subject.FREE_MIB),
          Map.entry("DCGM_FI_DEV_FB_RESERVED", Subject.RESERVED_MIB),
          Map.entry("DCGM_FI_DEV_POWER_USAGE", Subject.WATTS),
          Map.entry("DCGM_FI_DEV_BOARD_POWER_WATTS", Subject.WATTS),
          Map.entry("DCGM_FI_DEV_GPU_TEMP", Subject.CELSIUS),
          Map.entry("DCGM_FI_DEV_GPU_TEMP_CELSIUS", Subject.CELSIUS),
          Map.entry(AgentMetrics.GPU_ANSWERS, Subject.ANSWERS),
          Map.entry(AgentMetrics.UTILIZATION_BELOW, Subject.BELOW),
          Map.entry(AgentMetrics.HOLDER, Subject.HELD),
          Map.entry(AgentMetrics.POD_UTILIZATION, Subject.POD_RATIO),
          Map.entry(AgentMetrics.POD_MEMORY, Subject.POD_BYTES),
          Map.entry(AgentMetrics.PROBLEM, Subject.PROBLEM));

  private record Key(String uuid, String instance) {}

  private record Pod(String namespace, String name) {}

  private static final class Part {
    private final String index;
    private final String profile;
    private final Map<Subject, Double> numbers = new HashMap<>();
    private final Map<String, Long> below = new LinkedHashMap<>();
    private final Map<Pod, Map<Subject, Double>> pods =
        new TreeMap<>(Comparator.comparing(Pod::namespace).thenComparing(Pod::name));
    private final Set<Pod> sharing = new HashSet<>();

    private Part(String index, String profile) {
      this.index = index;
      this.profile = profile;
    }
  }

  private final Map<Key, Part> parts = new LinkedHashMap<>();
  private final Set<String> silent = new HashSet<>();
  private final List<String> problems = new ArrayList<>();
  private boolean knowsHolders;

  void line(String line) {
    if (line.startsWith("#")) {
      knowsHolders |= line.startsWith(HOLDERS_FOLLOW);
      return;
    }
    Optional<Subject> subject =
        Optional.ofNullable(SUBJECTS.get(line.substring(0, Math.max(0, line.indexOf('{')))));
    Matcher matcher = LINE.matcher(line);
    if (subject.isPresent() && matcher.matches()) {
      number(matcher.group("value"))
          .ifPresent(it -> take(subject.get(), labels(matcher.group("labels")), it));
    }
  }

  private static Optional<Double> number(String text) {
    try {
      return Optional.of(Double.valueOf(text)).filter(Double::isFinite);
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }

  private static Map<String, String> labels(String text) {
    var labels = new HashMap<String, String>();
    Matcher label = LABEL.matcher(text);
    while (label.find()) {
      labels.put(
          label.group("name"),
          label.group("value").replace("\\\\", "\\").replace("\\\"", "\"").replace("\\n", "\n"));
    }
    return labels;
  }

  private void take(Subject subject, Map<String, String> labels, double value) {
    String uuid = labels.getOrDefault("UUID", labels.getOrDefault("uuid", ""));
    switch (subject) {
      case PROBLEM ->
          problems.add(labels.getOrDefault("about", "") + ": " + labels.getOrDefault("why", ""));
      case ANSWERS -> {
        if (value == 0) {
          silent.add(uuid);
        }
      }
      case BELOW -> part(uuid, labels).below.put(labels.getOrDefault("below", ""), (long) value);
      case HELD, POD_RATIO, POD_BYTES -> {
        Part part = part(uuid, labels);
        var pod = new Pod(labels.getOrDefault("namespace", ""), labels.getOrDefault("pod", ""));
        limited(part.pods.size());
        var ofPod = part.pods.computeIfAbsent(pod, _ -> new HashMap<>());
        // Of its containers the first one counts for the time, and all for what it uses.
        ofPod.merge(subject, value, subject == Subject.HELD ? Math::max : Double::sum);
        if (!"false".equals(labels.get("shared"))) {
          part.sharing.add(pod);
        }
      }
      case UTILISATION, ENGINE_RATIO, USED_MIB, FREE_MIB, RESERVED_MIB, WATTS, CELSIUS ->
          part(uuid, labels).numbers.put(subject, value);
    }
  }

  private Part part(String uuid, Map<String, String> labels) {
    limited(parts.size());
    return parts.computeIfAbsent(
        new Key(uuid, labels.getOrDefault("GPU_I_ID", "")),
        _ -> new Part(labels.getOrDefault("gpu", ""), labels.getOrDefault("GPU_I_PROFILE", "")));
  }

  private static void limited(int count) {
    if (count > MOST) {
      throw new RefusedException(
          new Refusal(
              Refusal.Kind.FAILED,
              "the page of metrics has more than %d GPUs, MIG devices or pods".formatted(MOST)));
    }
  }

  /// Whether the agent names the pods that hold GPUs; else none is known.
  boolean knowsHolders() {
    return knowsHolders;
  }

  /// What does not work on the node, in words.
  List<String> problems() {
    return List.copyOf(problems);
  }

  List<GpuUse> gpus() {
    var gpus = new ArrayList<GpuUse>();
    parts.forEach((key, part) -> gpus.add(gpu(key, part)));
    return List.copyOf(gpus);
  }

  private GpuUse gpu(Key key, Part part) {
    Optional<Double> used = number(part, Subject.USED_MIB);
    return new GpuUse(
        part.index,
        key.uuid(),
        part.profile,
        key.instance(),
        !silent.contains(key.uuid()),
        number(part, Subject.UTILISATION)
            .or(() -> number(part, Subject.ENGINE_RATIO).map(it -> it * PERCENT)),
        used,
        number(part, Subject.FREE_MIB)
            .flatMap(
                free -> used.map(it -> it + free + number(part, Subject.RESERVED_MIB).orElse(0.0))),
        number(part, Subject.WATTS),
        number(part, Subject.CELSIUS),
        part.below,
        part.pods.entrySet().stream()
            // A pod that has ended may still be among the estimates.
            .filter(it -> it.getValue().containsKey(Subject.HELD))
            .map(it -> holder(it.getKey(), it.getValue(), part.sharing.contains(it.getKey())))
            .toList());
  }

  private static Holder holder(Pod pod, Map<Subject, Double> numbers, boolean isSharing) {
    return new Holder(
        pod.namespace(),
        pod.name(),
        isSharing,
        numbers.getOrDefault(Subject.HELD, 0.0).longValue(),
        Optional.ofNullable(numbers.get(Subject.POD_RATIO)).map(it -> it * PERCENT),
        Optional.ofNullable(numbers.get(Subject.POD_BYTES)).map(it -> it / MIB));
  }

  private static Optional<Double> number(Part part, Subject subject) {
    return Optional.ofNullable(part.numbers.get(subject));
  }
}
