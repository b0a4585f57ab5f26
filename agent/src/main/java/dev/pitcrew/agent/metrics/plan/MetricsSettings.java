package dev.pitcrew.agent.metrics.plan;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// How metrics are taken and served. Names and defaults are those of NVIDIA's dcgm-exporter, but
/// for the interval: its 30 s hide every short load.
///
/// @param listen where they are served, as [dev.pitcrew.core.web.BindAddress] reads it
/// @param counters the path of the counters file; empty for the default counters
/// @param interval between two samples
/// @param hostname the value of the label; empty for none
/// @param isHostLabelCapital whether that label is `Hostname`, as releases before 4.6 spell it
/// @param usesOldNames the label names of version 1
/// @param blanksBecomeDashes in names of products
/// @param xidWindow over which Xids are counted
/// @param clockWindow over which clock events are counted
/// @param devices which GPUs and instances have series
/// @param webConfig the path of the file that says which clients are allowed; empty for all
public record MetricsSettings(
    String listen,
    String counters,
    Duration interval,
    String hostname,
    boolean isHostLabelCapital,
    boolean usesOldNames,
    boolean blanksBecomeDashes,
    Duration xidWindow,
    Duration clockWindow,
    DeviceSelection devices,
    PodMapping pods,
    String webConfig,
    Optional<String> jobFolder) {
  static final Duration INTERVAL = Duration.ofSeconds(5);

  /// How series are given to pods.
  ///
  /// @param isOn whether at all
  /// @param socket the kubelet's, on the host
  /// @param resources names besides `nvidia.com/gpu` and `nvidia.com/mig-…`
  /// @param isPerHolder a copy of each series for each pod that shares the device
  /// @param byDeviceName whether a device is known by `nvidia<N>` in place of its UUID
  /// @param hasUids whether series carry the pod's UID
  /// @param followsClaims whether devices are also given by claims of dynamic resource allocation
  /// @param labels which labels of the pod they carry
  public record PodMapping(
      boolean isOn,
      String socket,
      List<String> resources,
      boolean isPerHolder,
      boolean byDeviceName,
      boolean hasUids,
      boolean followsClaims,
      PodLabels labels) {

    public PodMapping {
      resources = List.copyOf(resources);
    }
  }

  /// The same, sampled at another pace.
  public MetricsSettings every(Duration pace) {
    return new MetricsSettings(
        listen,
        counters,
        pace,
        hostname,
        isHostLabelCapital,
        usesOldNames,
        blanksBecomeDashes,
        xidWindow,
        clockWindow,
        devices,
        pods,
        webConfig,
        jobFolder);
  }

  /// After how long without a newer sample a series is left out: a GPU that does not answer must
  /// not look idle.
  public Duration staleAfter() {
    Duration twice = interval.multipliedBy(2);
    Duration least = Duration.ofSeconds(10);
    return twice.compareTo(least) > 0 ? twice : least;
  }
}
