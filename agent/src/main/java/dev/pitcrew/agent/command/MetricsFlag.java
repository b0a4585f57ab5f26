package dev.pitcrew.agent.command;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// The flags of NVIDIA's dcgm-exporter, each with its variable. A flag takes precedence over it.
enum MetricsFlag {
  COLLECTORS("--collectors", "-f", "DCGM_EXPORTER_COLLECTORS", false, "The counters file"),
  ADDRESS("--address", "-a", "DCGM_EXPORTER_LISTEN", false, "Where metrics are served"),
  INTERVAL(
      "--collect-interval", "-c", "DCGM_EXPORTER_INTERVAL", false, "Between two samples, in ms"),
  KUBERNETES("--kubernetes", "-k", "DCGM_EXPORTER_KUBERNETES", true, "Name the pods of devices"),
  OLD_NAMES(
      "--use-old-namespace",
      "-o",
      "DCGM_EXPORTER_USE_OLD_NAMESPACE",
      true,
      "The label names of version 1"),
  DEVICES("--devices", "-d", "DCGM_EXPORTER_DEVICES_STR", false, "f, g[:LIST] or i[:LIST]"),
  NO_HOSTNAME("--no-hostname", "-n", "DCGM_EXPORTER_NO_HOSTNAME", true, "No label of the host"),
  XID_WINDOW(
      "--xid-count-window-size",
      "-x",
      "DCGM_EXPORTER_XID_COUNT_WINDOW_SIZE",
      false,
      "Over which Xids are counted, in ms"),
  CLOCK_WINDOW(
      "--clock-events-count-window-size",
      "",
      "DCGM_EXPORTER_CLOCK_EVENTS_COUNT_WINDOW_SIZE",
      false,
      "Over which clock events are counted, in ms"),
  BLANKS(
      "--replace-blanks-in-model-name",
      "",
      "DCGM_EXPORTER_REPLACE_BLANKS_IN_MODEL_NAME",
      true,
      "Dashes for blanks in names of products"),
  ID_TYPE(
      "--kubernetes-gpu-id-type",
      "",
      "DCGM_EXPORTER_KUBERNETES_GPU_ID_TYPE",
      false,
      "uid or device-name"),
  SOCKET(
      "--pod-resources-kubelet-socket",
      "",
      "DCGM_POD_RESOURCES_KUBELET_SOCKET",
      false,
      "The kubelet's socket"),
  POD_UID(
      "--kubernetes-enable-pod-uid",
      "",
      "DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID",
      true,
      "The UID of the pod"),
  WEB_CONFIG(
      "--web-config-file",
      "",
      "DCGM_EXPORTER_WEB_CONFIG_FILE",
      false,
      "TLS and users, as Prometheus' exporters read them"),
  JOBS("--hpc-job-mapping-dir", "", "DCGM_HPC_JOB_MAPPING_DIR", false, "The files of jobs"),
  RESOURCES(
      "--nvidia-resource-names", "", "NVIDIA_RESOURCE_NAMES", false, "More names of resources"),
  CLAIMS(
      "--kubernetes-enable-dra",
      "",
      "KUBERNETES_ENABLE_DRA",
      true,
      "Name the pods of devices that were claimed, unless false"),
  VIRTUAL_GPUS(
      "--kubernetes-virtual-gpus",
      "",
      "KUBERNETES_VIRTUAL_GPUS",
      true,
      "A copy of each series for each pod that shares the device");

  private final String option;
  private final String letter;
  private final String variable;
  private final boolean isTruth;
  private final String meaning;

  MetricsFlag(String option, String letter, String variable, boolean isTruth, String meaning) {
    this.option = option;
    this.letter = letter;
    this.variable = variable;
    this.isTruth = isTruth;
    this.meaning = meaning;
  }

  static void addTo(CommandSpec command) {
    Arrays.stream(values()).map(MetricsFlag::build).forEach(command::addOption);
  }

  private OptionSpec build() {
    String[] names = letter.isEmpty() ? new String[] {option} : new String[] {option, letter};
    var built =
        OptionSpec.builder(names)
            .type(String.class)
            .paramLabel(isTruth ? "<true|false>" : "<value>")
            .description("%s (%s).".formatted(meaning, variable));
    return (isTruth ? built.arity("0..1").fallbackValue("true") : built.arity("1")).build();
  }

  /// The variables, with the flags in their place.
  static Map<String, String> variables(ParseResult parsed, Map<String, String> environment) {
    var all = new HashMap<>(environment);
    for (MetricsFlag flag : values()) {
      String given = parsed.matchedOptionValue(flag.option, "");
      if (!given.isEmpty()) {
        all.put(flag.variable, given);
      }
    }
    return all;
  }
}
