package dev.pitcrew.agent.mig;

import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.mig.config.GpuClients;
import dev.pitcrew.agent.mig.config.GpuClientsParser;
import dev.pitcrew.agent.settings.MigSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Which host services are stopped while the GPUs are partitioned. As in the NVIDIA GPU Operator,
/// this applies only to a driver of the host: a driver container has no such clients.
sealed interface HostClients {
  /// The key that NVIDIA's MIG manager reads.
  String KEY = "clients.yaml";

  record Services(List<String> names) implements HostClients {
    public Services {
      names = List.copyOf(names);
    }
  }

  /// The ConfigMap was not looked for yet.
  record Unknown() implements HostClients {}

  record Wrong(String reason) implements HostClients {}

  /// None where it is not known which.
  default List<String> services() {
    return switch (this) {
      case Services(var names) -> names;
      case Unknown(), Wrong(_) -> List.of();
    };
  }

  static HostClients of(
      Map<String, WatchedObject> configMaps, MigSettings settings, String namespace) {
    return settings
        .clients()
        .map(name ->
            Optional.ofNullable(configMaps.get(name))
                .map(seen -> of(name, seen, namespace))
                .orElseGet(Unknown::new))
        .orElseGet(() -> new Services(GpuClients.USUAL.services()));
  }

  private static HostClients of(String name, WatchedObject seen, String namespace) {
    return switch (seen) {
      case WatchedObject.Absent() ->
          new Wrong(
              "ClusterPolicy spec.migManager.gpuClientsConfig.name is '%s': there is no such ConfigMap in namespace %s; create it"
                  .formatted(name, namespace));
      case WatchedObject.Present(var object) -> {
        String place = "ConfigMap %s/%s key %s".formatted(namespace, name, KEY);
        String text = object.path("data").path(KEY).asText("");
        yield switch (GpuClientsParser.parse(text)) {
          case GpuClients.Named(var services) -> new Services(services);
          case GpuClients.Rejected(var problem) -> new Wrong(problem.text(place));
        };
      }
    };
  }
}
