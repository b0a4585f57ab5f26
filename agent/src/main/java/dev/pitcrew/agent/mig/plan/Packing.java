package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.agent.mig.plan.Target.Wanted;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.InstanceProfile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Puts the wanted compute instances into as few GPU instances as there need be.
final class Packing {
  private Packing() {}

  /// The shapes that this GPU does not have.
  static List<MigProfile> unknown(ProfileCounts demand, List<InstanceProfile> profiles) {
    return demand.counts().keySet().stream()
        .filter(shape -> profile(shape, profiles).isEmpty())
        .toList();
  }

  /// What is wanted, of shapes that the GPU has.
  static Target pack(ProfileCounts demand, List<InstanceProfile> profiles) {
    var demanded = new LinkedHashMap<InstanceProfile, List<Integer>>();
    demand
        .counts()
        .forEach((shape, count) -> {
          var slices =
              demanded.computeIfAbsent(
                  profile(shape, profiles).orElseThrow(), _ -> new ArrayList<>());
          for (int i = 0; i < count; i++) {
            slices.add(shape.computeSlices());
          }
        });
    var wanted = new ArrayList<Wanted>();
    for (Map.Entry<InstanceProfile, List<Integer>> one : demanded.entrySet()) {
      bins(one.getValue(), one.getKey().slices())
          .forEach(bin -> wanted.add(new Wanted(one.getKey(), Optional.empty(), bin)));
    }
    return new Target(demand.isEnabled(), wanted);
  }

  /// The first profile of NVML's that has the shape in it.
  private static Optional<InstanceProfile> profile(
      MigProfile shape, List<InstanceProfile> profiles) {
    return profiles.stream()
        .filter(profile -> isPart(shape.computeSlices(), profile.slices()))
        .filter(profile -> profile.part(shape.computeSlices()).equals(shape))
        .findFirst();
  }

  // A part of an instance is at most half of it, rounded up.
  private static boolean isPart(int computeSlices, int slices) {
    return computeSlices == slices
        || (computeSlices > 0 && computeSlices < slices && 2 * computeSlices <= slices + 1);
  }

  // Each into the first that has room, the largest first.
  private static List<List<Integer>> bins(List<Integer> slices, int room) {
    var bins = new ArrayList<List<Integer>>();
    for (int one : slices.stream().sorted(Comparator.reverseOrder()).toList()) {
      var bin =
          bins.stream()
              .filter(found -> sum(found) + one <= room)
              .findFirst()
              .orElseGet(() -> {
                var added = new ArrayList<Integer>();
                bins.add(added);
                return added;
              });
      bin.add(one);
    }
    return bins;
  }

  private static int sum(List<Integer> bin) {
    return bin.stream().mapToInt(Integer::intValue).sum();
  }
}
