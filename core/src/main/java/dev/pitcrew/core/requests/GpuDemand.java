package dev.pitcrew.core.requests;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// What a pod asks for of the resources under `nvidia.com/`. Every resource of the device plugin is
/// there: it puts other names under it too.
///
/// Only limits are read: of such a resource the API server takes no request without an equal limit,
/// and makes a request of each limit.
///
/// @param asks by resource, only those that ask for something
public record GpuDemand(SortedMap<String, Ask> asks) {
  public static final String PREFIX = "nvidia.com/";

  /// Of one resource.
  ///
  /// @param count what a node must have free, after the rule for init containers and sidecars
  /// @param containers that ask for it
  public record Ask(long count, List<String> containers) {}

  /// One container of a pod.
  ///
  /// @param sidecar whether it is an init container that goes on running
  /// @param limits whole numbers by resource, as the API server demands of those that count here
  public record Container(String name, boolean sidecar, Map<String, Long> limits) {
    public Container {
      limits = Map.copyOf(limits);
    }
  }

  public GpuDemand {
    asks = Collections.unmodifiableSortedMap(asks);
  }

  /// @param init in the order of the pod, in which they are started
  public static GpuDemand of(Collection<Container> containers, Collection<Container> init) {
    List<Container> all = Stream.concat(containers.stream(), init.stream()).toList();
    var asks = new TreeMap<String, Ask>();
    all.stream()
        .flatMap(container -> container.limits().keySet().stream())
        .filter(resource -> resource.startsWith(PREFIX))
        .distinct()
        .forEach(resource -> {
          var ask = new Ask(count(containers, init, resource), names(all, resource));
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
  private static long count(
      Collection<Container> containers, Collection<Container> init, String resource) {
    long sidecars = 0;
    long most = 0;
    for (Container container : init) {
      long asked = asked(container, resource);
      most = Math.max(most, sidecars + asked);
      if (container.sidecar()) {
        sidecars += asked;
      }
    }
    long together = containers.stream().mapToLong(container -> asked(container, resource)).sum();
    return Math.max(most, sidecars + together);
  }

  private static List<String> names(Collection<Container> containers, String resource) {
    var names = new ArrayList<String>();
    containers.stream()
        .filter(container -> asked(container, resource) > 0)
        .forEach(container -> names.add(container.name()));
    return List.copyOf(names);
  }

  private static long asked(Container container, String resource) {
    return container.limits().getOrDefault(resource, 0L);
  }
}
