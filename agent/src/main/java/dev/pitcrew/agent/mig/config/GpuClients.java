package dev.pitcrew.agent.mig.config;

import java.util.List;

/// The services of a host that have GPUs open, as the file `clients.yaml` of the MIG manager names
/// them, in the order in which they are to be stopped.
public sealed interface GpuClients {

  record Named(List<String> services) implements GpuClients {
    public Named {
      services = List.copyOf(services);
    }
  }

  record Rejected(MigConfigProblem problem) implements GpuClients {}

  /// Those of the NVIDIA GPU Operator's ConfigMap `default-gpu-clients`.
  Named USUAL =
      new Named(
          List.of(
              "nvsm.service",
              "nvsm-mqtt.service",
              "nvsm-core.service",
              "nvsm-api-gateway.service",
              "nvsm-notifier.service",
              "nv_peer_mem.service",
              "nvidia-dcgm.service",
              "dcgm.service",
              "dcgm-exporter.service"));
}
