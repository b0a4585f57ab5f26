package dev.pitcrew.agent.dra.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// A kubelet, a scheduler and an agent that act in any order, each on what it saw last.
class GpuSidesPropertiesTest {
  private static final List<String> GPUS = List.of("GPU-0", "GPU-1", "GPU-2");
  private static final int ACTIONS = 400;
  private static final int ROUNDS_TO_REST = 12;

  /// The state of a node and its cluster, in which every copy may be stale.
  private static final class Model {
    private final Random random;
    private boolean isByClaims;
    private GpuSides sides = GpuSides.NONE;
    private final Set<String> kubeletsList = new HashSet<>();
    private final Set<String> pods = new HashSet<>();
    private final Set<String> slices = new HashSet<>();
    private final Set<String> schedulersSlices = new HashSet<>();
    private final Set<String> allocated = new HashSet<>();
    private final Set<String> prepared = new HashSet<>();

    Model(long seed) {
      random = new Random(seed);
    }

    private Set<String> offer() {
      var offer = new HashSet<>(GPUS);
      offer.removeAll(sides.withheldFromPlugin(GPUS, isByClaims));
      return offer;
    }

    private void act() {
      String gpu = GPUS.get(random.nextInt(GPUS.size()));
      switch (random.nextInt(11)) {
        case 0 -> isByClaims = random.nextInt(4) == 0 ? !isByClaims : isByClaims;
        case 1 -> copy(offer(), kubeletsList);
        case 2 -> {
          // The plugin refuses what it offers no longer.
          if (kubeletsList.contains(gpu) && offer().contains(gpu)) {
            pods.add(gpu);
          }
        }
        case 3 -> pods.remove(gpu);
        case 4 -> copy(sides.on(side -> side == GpuSide.CLAIMS), slices);
        case 5 -> copy(slices, schedulersSlices);
        case 6 -> {
          if (schedulersSlices.contains(gpu)) {
            allocated.add(gpu);
          }
        }
        case 7 -> prepare(gpu);
        case 8 -> {
          prepared.remove(gpu);
          allocated.remove(gpu);
        }
        default -> step();
      }
    }

    private void prepare(String gpu) {
      if (allocated.contains(gpu) && sides.on(GpuSide::preparesClaims).contains(gpu)) {
        prepared.add(gpu);
      }
    }

    private void step() {
      sides =
          sides.next(
              new GpuSides.Observed(
                  isByClaims,
                  Set.copyOf(GPUS),
                  offer(),
                  known(pods),
                  prepared,
                  known(slices),
                  known(allocated)));
    }

    private Optional<Set<String>> known(Set<String> set) {
      return random.nextInt(5) == 0 ? Optional.empty() : Optional.of(Set.copyOf(set));
    }

    private static void copy(Set<String> from, Set<String> to) {
      var now = Set.copyOf(from);
      to.clear();
      to.addAll(now);
    }

    private Set<String> heldTwice() {
      return pods.stream().filter(prepared::contains).collect(Collectors.toSet());
    }
  }

  @Property(tries = 1000)
  void gpu_isNeverHeldByAPodOfThePluginAndByAClaim(@ForAll long seed) {
    var model = new Model(seed);
    for (int i = 0; i < ACTIONS; i++) {
      model.act();
      assertThat(model.heldTwice()).as("after action %d", i).isEmpty();
    }
  }

  @Property(tries = 300)
  void gpusReachTheirSide_onceTheirHoldersAreGone(@ForAll long seed) {
    var model = new Model(seed);
    for (int i = 0; i < ACTIONS; i++) {
      model.act();
    }
    model.pods.clear();
    model.prepared.clear();
    model.allocated.clear();
    for (int i = 0; i < ROUNDS_TO_REST * GPUS.size(); i++) {
      model.step();
      Model.copy(model.sides.on(side -> side == GpuSide.CLAIMS), model.slices);
    }
    assertThat(model.sides.byUuid().values())
        .containsOnly(model.isByClaims ? GpuSide.CLAIMS : GpuSide.PLUGIN);
  }
}
