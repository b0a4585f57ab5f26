package dev.pitcrew.core.names;

/// Names of the agent's own metrics that `kubectl gpu top` reads.
public final class AgentMetrics {
  /// 1 with the labels `about` and `why` for each thing that does not work.
  public static final String PROBLEM = "pitcrew_metrics_problem";

  /// Whether NVML answers about a GPU.
  public static final String GPU_ANSWERS = "pitcrew_metrics_gpu_answers";

  /// Seconds for which each sample of the utilisation was below the ratio of the label `below`.
  public static final String UTILIZATION_BELOW = "pitcrew_gpu_utilization_below_seconds";

  /// Seconds for which a container has held a GPU, a share of one or a MIG device.
  public static final String HOLDER = "pitcrew_gpu_holder_seconds";

  /// Part of the time of a shared GPU that a container uses, from 0 to 1.
  public static final String POD_UTILIZATION = "pitcrew_gpu_pod_utilization_estimate_ratio";

  /// Memory of a shared GPU that a container uses.
  public static final String POD_MEMORY = "pitcrew_gpu_pod_memory_used_bytes";

  private AgentMetrics() {}
}
