package dev.pitcrew.agent.dra.plan;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The side of each GPU of the node, by UUID. A GPU changes its side in these steps:
///
/// 1. A GPU that nothing is known of begins with the claims if a claim is prepared for it.
///    Otherwise it begins with the device plugin, or where claims shall serve it, as one that has
///    just left the device plugin.
/// 2. [GpuSide#PLUGIN] → [GpuSide#LEAVES_PLUGIN]: claims shall serve it, and the kubelet reports no
///    pod that holds it.
/// 3. [GpuSide#LEAVES_PLUGIN] → [GpuSide#CLAIMS]: the device plugin offers it no longer, and a look
///    at the pods after that finds no holder. Where it finds one, the kubelet allocated the GPU
///    before the plugin withdrew it: back to [GpuSide#PLUGIN].
/// 4. [GpuSide#CLAIMS] → [GpuSide#LEAVES_CLAIMS]: the device plugin shall serve it.
/// 5. [GpuSide#LEAVES_CLAIMS] → [GpuSide#PLUGIN]: no ResourceSlice lists it, no claim is prepared
///    for it, and a list of all claims after that has none that is allocated to it.
/// 6. A step under way is undone if the side that shall serve the GPU changes again.
///
/// What is not known ends no step. A GPU that is gone is forgotten.
public record GpuSides(Map<String, GpuSide> byUuid) {
  public static final GpuSides NONE = new GpuSides(Map.of());

  public GpuSides {
    byUuid = Map.copyOf(byUuid);
  }

  /// What was observed.
  ///
  /// @param isByClaims whether claims shall serve the GPUs of this node
  /// @param gpus those of the node
  /// @param offered those that the device plugin may still offer: it has not reported that it left
  ///   them out
  /// @param heldByPods those that pods hold by the device plugin, as the kubelet reports it; empty
  ///   where it does not answer
  /// @param prepared those that a prepared claim holds
  /// @param listed those in ResourceSlices; empty where the API server's state is not known
  /// @param allocated those that an allocated claim names; empty where they were not listed since
  ///   the slices changed
  public record Observed(
      boolean isByClaims,
      Set<String> gpus,
      Set<String> offered,
      Optional<Set<String>> heldByPods,
      Set<String> prepared,
      Optional<Set<String>> listed,
      Optional<Set<String>> allocated) {
    public Observed {
      gpus = Set.copyOf(gpus);
      offered = Set.copyOf(offered);
      heldByPods = heldByPods.map(Set::copyOf);
      prepared = Set.copyOf(prepared);
      listed = listed.map(Set::copyOf);
      allocated = allocated.map(Set::copyOf);
    }

    private boolean isFreeOfPods(String gpu) {
      return heldByPods.filter(held -> !held.contains(gpu)).isPresent();
    }

    private boolean isHeldByPod(String gpu) {
      return heldByPods.filter(held -> held.contains(gpu)).isPresent();
    }

    private boolean isFreeOfClaims(String gpu) {
      return !prepared.contains(gpu)
          && listed.filter(all -> !all.contains(gpu)).isPresent()
          && allocated.filter(all -> !all.contains(gpu)).isPresent();
    }
  }

  /// One step of each GPU.
  public GpuSides next(Observed seen) {
    return new GpuSides(
        seen.gpus().stream().collect(toUnmodifiableMap(gpu -> gpu, gpu -> next(gpu, seen))));
  }

  /// Forgets none of the GPUs of `earlier`: a GPU that a virtual machine has since before this
  /// agent began has no UUID that can be read until it is back.
  public GpuSides keeping(GpuSides earlier) {
    var all = new HashMap<>(earlier.byUuid);
    all.putAll(byUuid);
    return new GpuSides(all);
  }

  private GpuSide next(String gpu, Observed seen) {
    GpuSide now = Objects.requireNonNullElse(byUuid.get(gpu), first(gpu, seen));
    return switch (now) {
      case PLUGIN -> seen.isByClaims() && seen.isFreeOfPods(gpu) ? GpuSide.LEAVES_PLUGIN : now;
      case LEAVES_PLUGIN -> {
        if (!seen.isByClaims() || (!seen.offered().contains(gpu) && seen.isHeldByPod(gpu))) {
          yield GpuSide.PLUGIN;
        }
        boolean isFree = !seen.offered().contains(gpu) && seen.isFreeOfPods(gpu);
        yield isFree ? GpuSide.CLAIMS : now;
      }
      case CLAIMS -> seen.isByClaims() ? now : GpuSide.LEAVES_CLAIMS;
      case LEAVES_CLAIMS -> {
        if (seen.isByClaims()) {
          yield GpuSide.CLAIMS;
        }
        yield seen.isFreeOfClaims(gpu) ? GpuSide.PLUGIN : now;
      }
    };
  }

  private static GpuSide first(String gpu, Observed seen) {
    if (seen.prepared().contains(gpu)) {
      return GpuSide.CLAIMS;
    }
    return seen.isByClaims() ? GpuSide.LEAVES_PLUGIN : GpuSide.PLUGIN;
  }

  /// Whether any GPU is not, or not only, with the device plugin.
  public boolean haveClaims() {
    return byUuid.values().stream().anyMatch(side -> side != GpuSide.PLUGIN);
  }

  /// The GPUs that the device plugin must not offer.
  ///
  /// @param gpus those of the node
  /// @param isByClaims whether claims shall serve them: then one whose side is not known yet is
  ///   offered by neither
  public Set<String> withheldFromPlugin(Collection<String> gpus, boolean isByClaims) {
    GpuSide unknown = isByClaims ? GpuSide.LEAVES_PLUGIN : GpuSide.PLUGIN;
    return gpus.stream()
        .filter(gpu -> byUuid.getOrDefault(gpu, unknown) != GpuSide.PLUGIN)
        .collect(Collectors.toUnmodifiableSet());
  }

  /// The GPUs on sides of this sort.
  public Set<String> on(Predicate<GpuSide> sides) {
    return new TreeMap<>(byUuid)
        .entrySet().stream()
            .filter(entry -> sides.test(entry.getValue()))
            .map(Map.Entry::getKey)
            .collect(Collectors.toUnmodifiableSet());
  }
}
