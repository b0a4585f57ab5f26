package dev.pitcrew.agent.metrics.plan;

import dev.pitcrew.agent.metrics.plan.MetricsSettings.PodMapping;
import dev.pitcrew.agent.pods.KubeletPods;
import dev.pitcrew.core.text.GoText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/// Reads the variables of NVIDIA's dcgm-exporter. An invalid value leaves the default in force.
public final class MetricsEnvironment {
  private static final Pattern MILLIS = Pattern.compile("[1-9]\\d{0,8}");
  private static final Pattern PATH = Pattern.compile("/[^\\x00\\n]{1,1000}");
  private static final String TRUTH = "true or false";

  /// A wrong expression never allows more than was meant.
  private static final Pattern NOTHING = Pattern.compile("(?!)");

  /// NVML's own averages are no finer.
  private static final Duration SHORTEST = Duration.ofMillis(100);

  /// The counter files in the image of NVIDIA's dcgm-exporter: our default counters are the same.
  private static final List<String> SHIPPED =
      List.of(
          "/etc/dcgm-exporter/default-counters.csv", "/etc/dcgm-exporter/dcp-metrics-included.csv");

  private final Map<String, String> variables;
  private final List<Wrong> invalid = new ArrayList<>();

  /// A value that has no effect.
  public record Wrong(String variable, String value, String remedy) {
    /// For people.
    public String text() {
      return "%s: '%s' has no effect; %s".formatted(variable, value, remedy);
    }
  }

  public record Read(MetricsSettings settings, List<Wrong> invalid) {
    public Read {
      invalid = List.copyOf(invalid);
    }
  }

  private MetricsEnvironment(Map<String, String> variables) {
    this.variables = variables;
  }

  /// @param hostname of the node, where no variable says it
  public static Read read(Map<String, String> variables, String hostname) {
    var environment = new MetricsEnvironment(variables);
    MetricsSettings settings = environment.settings(hostname);
    return new Read(settings, environment.invalid);
  }

  private MetricsSettings settings(String hostname) {
    return new MetricsSettings(
        text("DCGM_EXPORTER_LISTEN").orElse(":9400"),
        text("DCGM_EXPORTER_COLLECTORS").filter(it -> !SHIPPED.contains(it)).orElse(""),
        interval(),
        flag("DCGM_EXPORTER_NO_HOSTNAME") ? "" : text("NODE_NAME").orElse(hostname),
        flag("PITCREW_CAPITAL_HOSTNAME_LABEL"),
        flag("DCGM_EXPORTER_USE_OLD_NAMESPACE"),
        flag("DCGM_EXPORTER_REPLACE_BLANKS_IN_MODEL_NAME"),
        millis("DCGM_EXPORTER_XID_COUNT_WINDOW_SIZE", Duration.ofMinutes(5)),
        millis("DCGM_EXPORTER_CLOCK_EVENTS_COUNT_WINDOW_SIZE", Duration.ofMinutes(5)),
        value(
                "DCGM_EXPORTER_DEVICES_STR",
                "f, g or i, the last two with a list of numbers such as g:0,2-3",
                DeviceSelection::parse)
            .orElse(DeviceSelection.FLEXIBLE),
        pods(),
        text("DCGM_EXPORTER_WEB_CONFIG_FILE").orElse(""),
        value("DCGM_HPC_JOB_MAPPING_DIR", "an absolute path", MetricsEnvironment::path));
  }

  private Duration interval() {
    Duration given = millis("DCGM_EXPORTER_INTERVAL", MetricsSettings.INTERVAL);
    return given.compareTo(SHORTEST) < 0 ? SHORTEST : given;
  }

  private PodMapping pods() {
    List<String> names =
        text("NVIDIA_RESOURCE_NAMES")
            .map(list -> Arrays.stream(list.split(",", -1)).map(String::strip).toList())
            .orElse(List.of());
    String idType =
        value(
                "DCGM_EXPORTER_KUBERNETES_GPU_ID_TYPE",
                "uid or device-name",
                it -> Optional.of(it).filter(List.of("uid", "device-name")::contains))
            .orElse("uid");
    boolean isPerHolder = flag("KUBERNETES_VIRTUAL_GPUS");
    boolean hasUids = flag("DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID");
    return new PodMapping(
        flag("DCGM_EXPORTER_KUBERNETES"),
        value("DCGM_POD_RESOURCES_KUBELET_SOCKET", "an absolute path", MetricsEnvironment::path)
            .orElse(KubeletPods.SOCKET),
        names,
        isPerHolder,
        idType.equals("device-name"),
        hasUids || isPerHolder,
        value("KUBERNETES_ENABLE_DRA", TRUTH, GoText::bool).orElse(true),
        new PodLabels(flag("DCGM_EXPORTER_KUBERNETES_ENABLE_POD_LABELS"), allowedLabels()));
  }

  private List<Pattern> allowedLabels() {
    String name = "DCGM_EXPORTER_KUBERNETES_POD_LABEL_ALLOWLIST_REGEX";
    var allowed = new ArrayList<Pattern>();
    for (String expression : text(name).orElse("").split(",", -1)) {
      try {
        if (!expression.isBlank()) {
          allowed.add(Pattern.compile(expression.strip()));
        }
      } catch (PatternSyntaxException e) {
        invalid.add(new Wrong(name, expression, "no regular expression: " + e.getDescription()));
        allowed.add(NOTHING);
      }
    }
    return allowed;
  }

  private Optional<String> text(String name) {
    return Optional.ofNullable(variables.get(name)).filter(value -> !value.isEmpty());
  }

  private boolean flag(String name) {
    return value(name, TRUTH, GoText::bool).orElse(false);
  }

  private Duration millis(String name, Duration otherwise) {
    return value(
            name,
            "milliseconds, as a whole number above 0",
            it ->
                Optional.of(it)
                    .filter(MILLIS.asMatchPredicate())
                    .map(digits -> Duration.ofMillis(Long.parseLong(digits))))
        .orElse(otherwise);
  }

  private <T> Optional<T> value(String name, String wanted, Function<String, Optional<T>> parser) {
    Optional<String> text = text(name);
    Optional<T> value = text.flatMap(parser);
    if (text.isPresent() && value.isEmpty()) {
      invalid.add(new Wrong(name, text.get(), "give " + wanted));
    }
    return value;
  }

  private static Optional<String> path(String text) {
    return Optional.of(text).filter(PATH.asMatchPredicate());
  }
}
