package dev.pitcrew.device.allocation;

import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.device.allocatable.Resource;
import dev.pitcrew.device.allocation.Preference.Request;
import dev.pitcrew.device.inventory.Topology;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Preferred allocation of whole GPUs by their links (device plugin, preferred allocation, aligned
/// policy): the best set of the partition of all available GPUs that leaves the best sets for
/// later.
final class Aligned {

  private Aligned() {}

  static Preference choose(Resource resource, Topology topology, Request request) {
    Set<String> known = resource.devices().stream().map(Device::id).collect(Collectors.toSet());
    return unknown(known, request.available(), "available")
        .or(() -> unknown(known, request.required(), "required"))
        .<Preference>map(Preference.Refused::new)
        .orElseGet(() -> new Preference.Chosen(best(topology, request)));
  }

  private static Optional<String> unknown(Set<String> known, List<String> ids, String what) {
    return ids.stream()
        .filter(id -> !known.contains(id))
        .findFirst()
        .map(id -> "unable to retrieve list of " + what + " devices: no device with uuid: " + id);
  }

  private static List<String> best(Topology topology, Request request) {
    List<String> available = request.available().stream().distinct().toList();
    List<String> required = request.required().stream().distinct().toList();
    int size = request.size();
    if (size <= 0
        || size > available.size()
        || required.size() > size
        || !available.containsAll(required)) {
      return List.of();
    }
    if (size == 1) {
      return Stream.concat(required.stream(), available.stream()).limit(1).toList();
    }
    List<Integer> places = required.stream().map(available::indexOf).toList();
    return places(PairScores.of(available, topology), available.size(), size, places).stream()
        .map(available::get)
        .toList();
  }

  private static List<Integer> places(
      PairScores scores, int gpus, int size, List<Integer> required) {
    if (gpus > Partition.MOST_GPUS) {
      return Nearest.of(scores, gpus, size, required);
    }
    int bits = required.stream().mapToInt(place -> 1 << place).sum();
    int set = new Partition(scores, gpus, size, bits).bestSet();
    return IntStream.range(0, gpus).filter(place -> (set >> place & 1) == 1).boxed().toList();
  }
}
