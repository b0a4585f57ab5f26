package dev.pitcrew.device.allocation;

import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.device.allocatable.Resource;
import dev.pitcrew.device.allocation.Preference.Request;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Preferred allocation by counts (device plugin, preferred allocation, greedy policies): one
/// device after the other, each time from the physical device that the policy likes best. Among
/// equals the first in the order of the resource is taken.
final class Greedy {
  private final List<Device> candidates;
  private final Map<String, Integer> allocated;
  private final Map<String, Integer> picks = new HashMap<>();
  private final Comparator<Device> liking;

  private Greedy(Resource resource, SharedPolicy policy, List<Device> candidates) {
    this.candidates = new ArrayList<>(candidates);
    this.allocated = new HashMap<>(countByUuid(resource.devices()));
    countByUuid(candidates).forEach((uuid, free) -> allocated.merge(uuid, -free, Integer::sum));
    this.liking =
        Comparator.comparing(
                (Device device) -> allocated.getOrDefault(uuid(device), 0), policy.byAllocated())
            .thenComparing(device -> picks.getOrDefault(uuid(device), 0));
  }

  static Preference choose(Resource resource, SharedPolicy policy, Request request) {
    List<Device> candidates = candidates(resource, request);
    int needed = request.size() - request.required().size();
    if (candidates.size() < needed) {
      return new Preference.Refused("not enough available devices to satisfy allocation");
    }
    return new Preference.Chosen(
        new Greedy(resource, policy, candidates).pick(needed, request.required()));
  }

  private static List<Device> candidates(Resource resource, Request request) {
    Set<String> free = new HashSet<>(request.available());
    request.required().forEach(free::remove);
    return resource.devices().stream().filter(device -> free.contains(device.id())).toList();
  }

  private List<String> pick(int needed, List<String> required) {
    List<String> ids = new ArrayList<>(required);
    for (int picked = 0; picked < needed; picked++) {
      ids.add(next().id());
    }
    return ids;
  }

  private Device next() {
    Device best = candidates.stream().min(liking).orElseThrow();
    candidates.remove(best);
    allocated.merge(uuid(best), 1, Integer::sum);
    picks.merge(uuid(best), 1, Integer::sum);
    return best;
  }

  private static Map<String, Integer> countByUuid(List<Device> devices) {
    return devices.stream().collect(Collectors.toMap(Greedy::uuid, _ -> 1, Integer::sum));
  }

  private static String uuid(Device device) {
    return device.physical().uuid();
  }
}
