package dev.pitcrew.agent.nodestatus.plan;

import dev.pitcrew.agent.health.SwitchError;
import dev.pitcrew.api.Condition;
import dev.pitcrew.core.exposition.MetricLabel;
import dev.pitcrew.core.exposition.MetricType;
import dev.pitcrew.core.exposition.TextExposition;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// The page that Prometheus reads. Names and meaning are those of NVIDIA's node status exporter,
/// for which dashboards and alerts were written.
public final class NodeStatusPage {
  private static final String PREFIX = "gpu_operator_node_";

  private final TextExposition page = new TextExposition();
  private final NodeStatus status;
  private final List<MetricLabel> node;

  private NodeStatusPage(NodeStatus status) {
    this.status = status;
    this.node = List.of(new MetricLabel("node", status.node()));
  }

  /// @param ready the status files that are there
  /// @param more writes the metrics of other parts of the agent
  public static String of(
      NodeStatus status, Set<ReadyFile> ready, Instant now, Consumer<TextExposition> more) {
    var page = new NodeStatusPage(status);
    page.ready(ready);
    page.driver(now);
    page.devices(now);
    page.conditions();
    page.health();
    page.switches();
    more.accept(page.page);
    return page.page.text();
  }

  private void ready(Set<ReadyFile> ready) {
    gauge(
        PREFIX + "metrics_ready_ts_seconds",
        "When these metrics began, in seconds since 1970.",
        status.startedAt().getEpochSecond());
    for (ReadyFile file : ReadyFile.values()) {
      gauge(
          PREFIX + file.part() + "_ready",
          "Whether the validation of the %s has succeeded (1) or not (0).".formatted(file.part()),
          ready.contains(file) ? 1 : 0);
    }
  }

  private void driver(Instant now) {
    gauge(
        PREFIX + "driver_validation",
        "Whether the driver answers (1) or not (0).",
        status.driver().isWell() ? 1 : 0);
    gauge(
        PREFIX + "driver_validation_last_success_ts_seconds",
        "When the driver last answered, in seconds since 1970; 0 if never.",
        status.driver().time(now).getEpochSecond());
  }

  private void devices(Instant now) {
    gauge(
        PREFIX + "device_plugin_devices_total",
        "GPUs and MIG devices in the capacity of the Node; -1 if that is not known.",
        status.devices());
    gauge(
        PREFIX + "device_plugin_validation_last_success_ts_seconds",
        "When the Node last had such a device, in seconds since 1970; 0 if never.",
        status.plugin().time(now).getEpochSecond());
    gauge(
        "gpu_operator_nvidia_pci_devices_total",
        "PCI functions of NVIDIA on the node; -1 if not determined yet.",
        status.pciFunctions());
  }

  private void conditions() {
    page.metric(
        "pitcrew_node_condition",
        MetricType.GAUGE,
        "The conditions of the node's GPUNode, each with its status and reason; always 1.");
    for (Condition condition : status.conditions()) {
      page.sample(
          List.of(
              node.getFirst(),
              new MetricLabel("condition", condition.type()),
              new MetricLabel("status", condition.status()),
              new MetricLabel("reason", condition.reason())),
          1);
    }
  }

  private void health() {
    gauge(
        "pitcrew_node_allocatable_devices",
        "GPUs and MIG devices that the kubelet would give to pods or has given; -1 if that is not known.",
        status.allocatable());
    page.metric(
        "pitcrew_gpu_health",
        MetricType.GAUGE,
        "The level of each GPU, from Healthy to Replace; always 1.");
    for (SeenGpu gpu : status.gpus()) {
      page.sample(labels(gpu, new MetricLabel("level", gpu.level())), 1);
    }
    page.metric(
        "pitcrew_gpu_health_sign",
        MetricType.GAUGE,
        "What speaks against a GPU, an Xid with its number; always 1. None where nothing does.");
    for (SeenGpu gpu : status.gpus()) {
      gpu.signs()
          .forEach(sign ->
              page.sample(
                  labels(
                      gpu,
                      new MetricLabel("sign", sign.kind()),
                      new MetricLabel("xid", sign.xid())),
                  1));
    }
  }

  private void switches() {
    page.metric(
        "pitcrew_nvswitch_error",
        MetricType.GAUGE,
        "What an NVSwitch has reported since the driver was loaded: the SXid, fatal or non-fatal; always 1.");
    for (SwitchError error : status.switches()) {
      page.sample(
          List.of(
              node.getFirst(),
              new MetricLabel("pci", error.pciAddress()),
              new MetricLabel("sxid", String.valueOf(error.number())),
              new MetricLabel("severity", error.severity())),
          1);
    }
  }

  private List<MetricLabel> labels(SeenGpu gpu, MetricLabel... more) {
    return Stream.concat(
            Stream.of(
                node.getFirst(),
                new MetricLabel("gpu", gpu.index()),
                new MetricLabel("UUID", gpu.uuid()),
                new MetricLabel("pci", gpu.pciAddress())),
            Stream.of(more))
        .toList();
  }

  private void gauge(String name, String help, long value) {
    page.metric(name, MetricType.GAUGE, help).sample(node, (double) value);
  }
}
