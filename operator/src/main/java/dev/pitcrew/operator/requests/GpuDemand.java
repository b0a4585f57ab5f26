package dev.pitcrew.operator.requests;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a pod asks for of the resources under `nvidia.com/`. Every resource of the device plugin is
/// there: it puts other names under it too.
///
/// Only limits are read: of such a resource the API server takes no request without an equal limit,
/// and makes a request of each limit.
///
/// @param asks by resource, only those that ask for something
public record GpuDemand(SortedMap<String, Ask> asks) {
  static final String PREFIX = "nvidia.com/";

  /// Of one resource.
  ///
  /// @param count what a node must have free, after the rule for init containers and sidecars
  /// @param containers that ask for it
  public record Ask(long count, List<String> containers) {}

  public GpuDemand {
    asks = Collections.unmodifiableSortedMap(asks);
  }

  public static GpuDemand of(PodSpec pod) {
    var asks = new TreeMap<String, Ask>();
    Stream.concat(containers(pod).stream(), initContainers(pod).stream())
        .flatMap(container -> limits(container).keySet().stream())
        .filter(resource -> resource.startsWith(PREFIX))
        .distinct()
        .forEach(resource -> {
          var ask = new Ask(count(pod, resource), names(pod, resource));
          if (ask.count() > 0) {
            asks.put(resource, ask);
          }
        });
    return new GpuDemand(asks);
  }

  public boolean isEmpty() {
    return asks.isEmpty();
  }

  /// Containers run together and with the sidecars; an init container runs with those sidecars that
  /// were started before it (KEP-753).
  private static long count(PodSpec pod, String resource) {
    long sidecars = 0;
    long most = 0;
    for (Container container : initContainers(pod)) {
      long asked = asked(container, resource);
      most = Math.max(most, sidecars + asked);
      if ("Always".equals(container.getRestartPolicy())) {
        sidecars += asked;
      }
    }
    long together =
        containers(pod).stream().mapToLong(container -> asked(container, resource)).sum();
    return Math.max(most, sidecars + together);
  }

  private static List<String> names(PodSpec pod, String resource) {
    var names = new ArrayList<String>();
    Stream.concat(containers(pod).stream(), initContainers(pod).stream())
        .filter(container -> asked(container, resource) > 0)
        .forEach(container -> names.add(container.getName()));
    return List.copyOf(names);
  }

  private static long asked(Container container, String resource) {
    @Nullable Quantity quantity = limits(container).get(resource);
    return quantity == null ? 0 : amount(quantity);
  }

  /// A whole number, as the API server demands of these resources.
  static long amount(Quantity quantity) {
    return quantity.getNumericalAmount().longValue();
  }

  static Map<String, Quantity> limits(Container container) {
    return container.getResources() == null
        ? Map.of()
        : Objects.requireNonNullElse(container.getResources().getLimits(), Map.of());
  }

  private static List<Container> containers(PodSpec pod) {
    return Objects.requireNonNullElse(pod.getContainers(), List.of());
  }

  private static List<Container> initContainers(PodSpec pod) {
    return Objects.requireNonNullElse(pod.getInitContainers(), List.of());
  }
}
