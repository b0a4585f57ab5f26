package dev.pitcrew.device.allocatable;

import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.device.sharing.Sharing.SharedResource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// The devices of a node after sharing (device plugin, replication). An entry of the configuration
/// takes its devices out of what is not shared yet, so several entries may divide one resource.
record Replication(List<Resource> resources, List<Problem> problems) {
  static final int FEWEST_REPLICAS = 2;

  static Replication of(List<Candidate.Offered> offered, Sharing sharing) {
    Pool pool = new Pool(offered);
    sharing.resources().forEach(pool::share);
    return new Replication(pool.resources(sharing.failRequestsGreaterThanOne()), pool.problems);
  }

  /// Only lives while one replication is worked out.
  private static final class Pool {
    private final TreeMap<String, List<Device>> single = new TreeMap<>();
    private final TreeMap<String, List<Device>> shared = new TreeMap<>();
    private final List<Problem> problems = new ArrayList<>();

    Pool(List<Candidate.Offered> offered) {
      offered.forEach(device -> add(single, device.resource(), device.device()));
    }

    void share(SharedResource entry) {
      if (entry.replicas() < FEWEST_REPLICAS) {
        problem(entry, entry.replicas() + " replicas; at least " + FEWEST_REPLICAS + " are needed");
        return;
      }
      List<Device> devices = single.getOrDefault(entry.resource(), List.of());
      Selection selection = Selection.of(devices, entry.devices());
      selection.unmatched().forEach(reason -> problem(entry, reason));
      selection.devices().forEach(device -> replicate(entry, device));
      single.computeIfPresent(
          entry.resource(),
          (_, all) -> all.stream().filter(it -> !selection.devices().contains(it)).toList());
    }

    private void replicate(SharedResource entry, Device device) {
      IntStream.range(0, entry.replicas())
          .mapToObj(number -> device.replica(number, entry.replicas()))
          .forEach(replica -> add(shared, entry.offeredAs(), replica));
    }

    List<Resource> resources(boolean limitsSharedRequests) {
      single.forEach((name, devices) -> devices.forEach(device -> add(shared, name, device)));
      return shared.entrySet().stream()
          .map(entry -> resource(entry.getKey(), entry.getValue(), limitsSharedRequests))
          .toList();
    }

    private static Resource resource(String name, List<Device> devices, boolean limited) {
      return new Resource(name, devices.stream().sorted(Device.ORDER).toList(), limited);
    }

    private void problem(SharedResource entry, String reason) {
      problems.add(Problem.warning(entry.resource(), reason));
    }

    private static void add(Map<String, List<Device>> to, String resource, Device device) {
      to.computeIfAbsent(resource, _ -> new ArrayList<>()).add(device);
    }
  }
}
