package dev.pitcrew.agent.dra.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.dra.plan.GpuSides.Observed;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The steps by which a GPU goes from the device plugin to claims and back.
class GpuSidesTest {
  private static final String GPU = "GPU-1";
  private static final Set<String> NONE = Set.of();
  private static final Set<String> IT = Set.of(GPU);
  private static final Optional<Set<String>> UNKNOWN = Optional.empty();
  private static final Seen TO_CLAIMS = new Seen(true, NONE, known(), NONE, known(), known());
  private static final Seen TO_PLUGIN = new Seen(false, NONE, known(), NONE, known(), known());

  private static Optional<Set<String>> known() {
    return Optional.of(NONE);
  }

  /// What is observed of one GPU, in the order of [Observed].
  private record Seen(
      boolean isByClaims,
      Set<String> offered,
      Optional<Set<String>> pods,
      Set<String> prepared,
      Optional<Set<String>> listed,
      Optional<Set<String>> allocated) {
    Observed all() {
      return new Observed(isByClaims, IT, offered, pods, prepared, listed, allocated);
    }

    Seen offered(Set<String> gpus) {
      return new Seen(isByClaims, gpus, pods, prepared, listed, allocated);
    }

    Seen pods(Optional<Set<String>> gpus) {
      return new Seen(isByClaims, offered, gpus, prepared, listed, allocated);
    }

    Seen prepared(Set<String> gpus) {
      return new Seen(isByClaims, offered, pods, gpus, listed, allocated);
    }

    Seen listed(Optional<Set<String>> gpus) {
      return new Seen(isByClaims, offered, pods, prepared, gpus, allocated);
    }

    Seen allocated(Optional<Set<String>> gpus) {
      return new Seen(isByClaims, offered, pods, prepared, listed, gpus);
    }
  }

  static Stream<Arguments> steps() {
    return Stream.of(
        step("a pod holds it", GpuSide.PLUGIN, TO_CLAIMS.pods(Optional.of(IT)), GpuSide.PLUGIN),
        step("pods are unknown", GpuSide.PLUGIN, TO_CLAIMS.pods(UNKNOWN), GpuSide.PLUGIN),
        step("no pod holds it", GpuSide.PLUGIN, TO_CLAIMS.offered(IT), GpuSide.LEAVES_PLUGIN),
        step("the plugin shall serve it", GpuSide.PLUGIN, TO_PLUGIN, GpuSide.PLUGIN),
        step(
            "the plugin still offers it",
            GpuSide.LEAVES_PLUGIN,
            TO_CLAIMS.offered(IT),
            GpuSide.LEAVES_PLUGIN),
        step(
            "a pod got it before it was withdrawn",
            GpuSide.LEAVES_PLUGIN,
            TO_CLAIMS.pods(Optional.of(IT)),
            GpuSide.PLUGIN),
        step(
            "pods are unknown after it was withdrawn",
            GpuSide.LEAVES_PLUGIN,
            TO_CLAIMS.pods(UNKNOWN),
            GpuSide.LEAVES_PLUGIN),
        step("it is withdrawn and free", GpuSide.LEAVES_PLUGIN, TO_CLAIMS, GpuSide.CLAIMS),
        step("the plugin shall keep it", GpuSide.LEAVES_PLUGIN, TO_PLUGIN, GpuSide.PLUGIN),
        step("claims go on", GpuSide.CLAIMS, TO_CLAIMS.listed(Optional.of(IT)), GpuSide.CLAIMS),
        step(
            "claims end", GpuSide.CLAIMS, TO_PLUGIN.listed(Optional.of(IT)), GpuSide.LEAVES_CLAIMS),
        step(
            "a slice lists it",
            GpuSide.LEAVES_CLAIMS,
            TO_PLUGIN.listed(Optional.of(IT)),
            GpuSide.LEAVES_CLAIMS),
        step(
            "slices are unknown",
            GpuSide.LEAVES_CLAIMS,
            TO_PLUGIN.listed(UNKNOWN),
            GpuSide.LEAVES_CLAIMS),
        step(
            "a claim is allocated to it",
            GpuSide.LEAVES_CLAIMS,
            TO_PLUGIN.allocated(Optional.of(IT)),
            GpuSide.LEAVES_CLAIMS),
        step(
            "claims are unknown",
            GpuSide.LEAVES_CLAIMS,
            TO_PLUGIN.allocated(UNKNOWN),
            GpuSide.LEAVES_CLAIMS),
        step(
            "a claim is prepared for it",
            GpuSide.LEAVES_CLAIMS,
            TO_PLUGIN.prepared(IT),
            GpuSide.LEAVES_CLAIMS),
        step("no claim has it", GpuSide.LEAVES_CLAIMS, TO_PLUGIN, GpuSide.PLUGIN),
        step("claims shall serve it again", GpuSide.LEAVES_CLAIMS, TO_CLAIMS, GpuSide.CLAIMS));
  }

  private static Arguments step(String when, GpuSide before, Seen seen, GpuSide after) {
    return Arguments.of(before, when, seen.all(), after);
  }

  @ParameterizedTest(name = "{0}, {1}: {3}")
  @MethodSource("steps")
  void sideOfAGpu_followsWhatWasObserved(
      GpuSide before, String when, Observed seen, GpuSide after) {
    assertThat(new GpuSides(Map.of(GPU, before)).next(seen).byUuid())
        .as(when)
        .isEqualTo(Map.of(GPU, after));
  }

  @Test
  void unknownGpu_withAPreparedClaim_staysWithClaims() {
    assertThat(GpuSides.NONE.next(TO_CLAIMS.prepared(IT).all()).byUuid())
        .isEqualTo(Map.of(GPU, GpuSide.CLAIMS));
    assertThat(GpuSides.NONE.next(TO_PLUGIN.prepared(IT).all()).byUuid())
        .isEqualTo(Map.of(GPU, GpuSide.LEAVES_CLAIMS));
  }

  @Test
  void unknownGpu_isOfferedByNeitherWhereClaimsShallServeIt() {
    assertThat(GpuSides.NONE.withheldFromPlugin(IT, true)).isEqualTo(IT);
    assertThat(GpuSides.NONE.withheldFromPlugin(IT, false)).isEmpty();
    assertThat(GpuSides.NONE.on(GpuSide::preparesClaims)).isEmpty();
  }

  @Test
  void storedSides_areReadAsTheyWereWritten_andTextThatIsNoneIsUnknown() {
    var sides = new GpuSides(Map.of(GPU, GpuSide.LEAVES_CLAIMS, "GPU-2", GpuSide.CLAIMS));

    assertThat(GpuSidesText.read(GpuSidesText.write(sides))).isEqualTo(sides);
    assertThat(GpuSidesText.read("{\"GPU-1\": \"ELSEWHERE\"}")).isEqualTo(GpuSides.NONE);
    assertThat(GpuSidesText.read("not json")).isEqualTo(GpuSides.NONE);
    assertThat(GpuSidesText.read("[1]")).isEqualTo(GpuSides.NONE);
  }

  @Test
  void gpuThatIsGone_isForgotten() {
    var before = new GpuSides(Map.of(GPU, GpuSide.CLAIMS, "GPU-2", GpuSide.CLAIMS));

    assertThat(before.next(TO_CLAIMS.all()).byUuid()).containsOnlyKeys(GPU);
    assertThat(before.next(TO_PLUGIN.all()).keeping(before).byUuid())
        .as("a virtual machine may have it")
        .isEqualTo(Map.of(GPU, GpuSide.LEAVES_CLAIMS, "GPU-2", GpuSide.CLAIMS));
  }
}
