package dev.pitcrew.agent.mig.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.mig.RecordedBoards;
import dev.pitcrew.agent.mig.config.GeneratedConfig;
import dev.pitcrew.agent.mig.config.GeneratedConfig.Generated;
import dev.pitcrew.agent.mig.config.MigConfig;
import dev.pitcrew.agent.mig.config.MigConfigText;
import dev.pitcrew.agent.mig.config.MigConfigText.SingleFilter;
import dev.pitcrew.agent.mig.config.MigEntry;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.ComputeInstance;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.KnownCounts;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PlannerTest {
  private static final MigGpu A100 = RecordedBoards.board("0x20B010DE");

  /// Every default label of every board.
  static Stream<Arguments> defaults() {
    return RecordedBoards.all().stream()
        .flatMap(gpu ->
            config(gpu).layouts().entrySet().stream()
                .map(layout ->
                    Arguments.of(
                        gpu.ids().deviceText(), layout.getKey(), layout.getValue().getFirst())));
  }

  private static MigConfig config(MigGpu gpu) {
    return ((Generated.Made) GeneratedConfig.of(List.of(gpu))).config();
  }

  @ParameterizedTest
  @MethodSource("defaults")
  void everyDefaultOfABoardFitsOnIt(String board, String label, MigEntry entry) {
    MigGpu gpu = RecordedBoards.board(board);
    var layout = new WantedLayout(List.of(entry), false);

    MigGpu after = ModelGpu.after(layout.plan(gpu).orElseThrow());

    assertThat(layout.isMet(List.of(after))).as(label).isTrue();
    assertThat(layout.steps(List.of(after))).isEmpty();
  }

  @Test
  void theDefaultsOfABoardAreThoseOfTheReference() {
    assertThat(config(A100).layouts())
        .containsOnlyKeys(
            "all-disabled",
            "all-enabled",
            "all-balanced",
            "all-1g.5gb",
            "all-1g.5gb.me",
            "all-1g.10gb",
            "all-2g.10gb",
            "all-3g.20gb",
            "all-4g.20gb",
            "all-7g.40gb");
    assertThat(names(config(A100).entries("all-balanced").getFirst().counts()))
        .isEqualTo(Map.of("1g.5gb", 2, "2g.10gb", 1, "3g.20gb", 1));
    assertThat(
            names(
                config(RecordedBoards.board("0x20B710DE"))
                    .entries("all-balanced")
                    .getFirst()
                    .counts()))
        .isEqualTo(Map.of("1g.6gb", 2, "2g.12gb", 1));
  }

  @Test
  void boardsOfANode_areDistinguished() {
    MigGpu other = RecordedBoards.at(1, RecordedBoards.board("0x20B210DE"));
    MigConfig config = ((Generated.Made) GeneratedConfig.of(List.of(A100, other))).config();

    assertThat(config.entries("all-1g.10gb"))
        .extracting(MigEntry::filters)
        .containsExactly(List.of("0x20B010DE"), List.of("0x20B210DE"));
    assertThat(config.entries("all-balanced")).hasSize(2);
    assertThat(MigConfigText.yaml(config, SingleFilter.LIST))
        .contains("- device-filter: [\"0x20B010DE\"]", "- device-filter: [\"0x20B210DE\"]");
    assertThat(MigConfigText.json(config, SingleFilter.LIST))
        .contains("\"device-filter\": [\"0x20B010DE\"]");
    assertThat(MigConfigText.yaml(config, SingleFilter.TEXT))
        .contains("- device-filter: \"0x20B010DE\"");
  }

  @Test
  void aFileWithFiltersDividesEachBoardAsRecorded() {
    MigGpu a30 = RecordedBoards.at(1, off(RecordedBoards.board("0x20B710DE")));
    var layout =
        new WantedLayout(
            RecordedBoards.entries(
                """
                version: v1
                mig-configs:
                  x:
                  - device-filter: ["0x20B010DE", "0x20B210DE"]
                    devices: "all"
                    mig-enabled: true
                    mig-devices: {"1g.5gb": 7}
                  - device-filter: "0x20B710DE"
                    devices: "all"
                    mig-enabled: false
                    mig-devices: {}
                """),
            false);

    assertThat(layout.steps(List.of(off(A100), a30)))
        .singleElement()
        .extracting(plan -> plan.gpu().index())
        .isEqualTo(0);
    assertThat(layout.isMet(List.of(ModelGpu.after(layout.plan(off(A100)).orElseThrow()), a30)))
        .isTrue();
  }

  @Test
  void anA30IsDividedIntoWhatItCanHaveAlsoWhereNvmlCountsLess() {
    MigGpu a30 = RecordedBoards.board("0x20B710DE");
    MigPartitioning.Capable capable = RecordedBoards.capable(a30);
    List<InstanceProfile> miscounted =
        capable.profiles().stream()
            .map(it -> new InstanceProfile(it.constant(), it.id(), it.shape(), 1, it.placements()))
            .toList();
    var wrong = new MigPartitioning.Capable(true, true, miscounted, List.of(), List.of());
    MigGpu gpu = a30.with(KnownCounts.corrected(a30.ids(), wrong));

    assertThat(texts(gpu, Map.of("1g.6gb", 4)))
        .filteredOn(text -> text.startsWith("create 1g.6gb"))
        .hasSize(4);
    assertThat(KnownCounts.corrected(A100.ids(), wrong)).isSameAs(wrong);
  }

  @Test
  void theOtherInstancesStayWhereTheyAre() {
    MigGpu gpu = divided("3g.20gb", "1g.5gb", "1g.5gb");

    assertThat(texts(gpu, Map.of("3g.20gb", 1, "1g.5gb", 1, "2g.10gb", 1)))
        .containsExactly(
            "destroy compute instance 0 of the 1g.5gb at 1",
            "destroy 1g.5gb at 1",
            "create 2g.10gb at 2",
            "create a compute instance of 2 slices in the instance at 2");
  }

  @Test
  void instanceInUse_isNotDestroyedWhereThereIsAnotherWay() {
    MigGpu gpu = divided("1g.5gb", "1g.5gb");
    MigPartitioning.Capable now = RecordedBoards.capable(gpu);
    GpuInstance first = now.instances().getFirst();
    GpuInstance last = now.instances().getLast();
    MigGpu firstBusy = gpu.with(ModelGpu.of(now, List.of(busy(first), last)));
    MigGpu lastBusy = gpu.with(ModelGpu.of(now, List.of(first, busy(last))));

    assertThat(texts(firstBusy, Map.of("1g.5gb", 1)))
        .containsExactly("destroy compute instance 0 of the 1g.5gb at 1", "destroy 1g.5gb at 1");
    assertThat(texts(lastBusy, Map.of("1g.5gb", 1)))
        .containsExactly("destroy compute instance 0 of the 1g.5gb at 0", "destroy 1g.5gb at 0");
  }

  @Test
  void anInstanceWithoutComputeInstancesIsNoMigDeviceAndGoes() {
    MigGpu gpu = divided("1g.5gb", "1g.5gb");
    var instances = new ArrayList<>(RecordedBoards.capable(gpu).instances());
    GpuInstance last = instances.removeLast();
    instances.add(new GpuInstance(last.id(), last.profile(), last.placement(), List.of()));
    MigGpu leftover = gpu.with(ModelGpu.of(RecordedBoards.capable(gpu), instances));

    assertThat(new ProfileCounts(true, counts(gpu, Map.of("1g.5gb", 1))).isMet(leftover.division()))
        .isTrue();
    assertThat(texts(leftover, Map.of("1g.5gb", 1))).containsExactly("destroy 1g.5gb at 1");
  }

  @Test
  void anAmpereBoardIsResetForItsMode() {
    assertThat(texts(off(A100), Map.of("7g.40gb", 1)))
        .containsExactly(
            "set MIG mode on",
            "reset the GPU",
            "create 7g.40gb at 0",
            "create a compute instance of 7 slices in the instance at 0");
    assertThat(texts(off(RecordedBoards.board("0x233010DE")), Map.of("7g.80gb", 1)))
        .doesNotContain("reset the GPU");
  }

  @Test
  void impossibleLayout_isRefusedWithAReason() {
    assertThat(refusal("1g.99gb", 1))
        .isEqualTo(
            "GPU 0 (0x20B010DE) has no MIG profile 1g.99gb; it has 1g.5gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb, 1g.5gb+me, 1g.10gb");
    assertThat(refusal("1g.5gb", 8)).isEqualTo("GPU 0 (0x20B010DE) has no room for 1g.5gb x 8");
    MigGpu none = A100.with(new MigPartitioning.NotCapable());
    assertThat(Planner.plan(none, new ProfileCounts(true, Map.of())))
        .isEqualTo(
            new GpuPlan.Refused(none, "GPU 0 (0x20B010DE) cannot be divided: it has no MIG"));
  }

  private static String refusal(String profile, int count) {
    var file =
        "version: v1\nmig-configs: {x: [{devices: all, mig-enabled: true, mig-devices: {%s: %d}}]}\n"
            .formatted(profile, count);
    return new WantedLayout(RecordedBoards.entries(file), false).refusals(List.of(A100)).getFirst();
  }

  private static List<String> texts(MigGpu gpu, Map<String, Integer> counts) {
    var plan = Planner.plan(gpu, new ProfileCounts(true, counts(gpu, counts)));
    assertThat(plan).isInstanceOf(GpuPlan.Steps.class);
    return ((GpuPlan.Steps) plan).steps().stream().map(Step::text).toList();
  }

  private static Map<MigProfile, Integer> counts(MigGpu gpu, Map<String, Integer> named) {
    var counts = new LinkedHashMap<MigProfile, Integer>();
    RecordedBoards.capable(gpu)
        .profiles()
        .forEach(profile -> {
          Integer count = named.get(profile.shape().name());
          if (count != null) {
            counts.put(profile.shape(), count);
          }
        });
    return counts;
  }

  private static Map<String, Integer> names(Map<MigProfile, Integer> counts) {
    var named = new LinkedHashMap<String, Integer>();
    counts.forEach((profile, count) -> named.put(profile.name(), count));
    return named;
  }

  private static MigGpu off(MigGpu gpu) {
    return gpu.with(
        new MigPartitioning.Capable(
            false, false, RecordedBoards.capable(gpu).profiles(), List.of(), List.of()));
  }

  /// An A100 with whole instances, each at the first place that is free; the 3g at 4.
  private static MigGpu divided(String... names) {
    MigGpu gpu = A100;
    for (String name : names) {
      MigPartitioning.Capable now = RecordedBoards.capable(gpu);
      var profile =
          now.profiles().stream()
              .filter(one -> one.shape().name().equals(name))
              .findFirst()
              .orElseThrow();
      var places = name.startsWith("3g") ? profile.placements().reversed() : profile.placements();
      var place =
          places.stream()
              .filter(one ->
                  now.instances().stream().noneMatch(other -> other.placement().overlaps(one)))
              .findFirst()
              .orElseThrow();
      var instances = new ArrayList<>(now.instances());
      instances.add(
          ModelGpu.withCompute(
              new GpuInstance(place.start() + 1, profile, place, List.of()), profile.slices()));
      gpu = gpu.with(ModelGpu.of(now, instances));
    }
    return gpu;
  }

  private static GpuInstance busy(GpuInstance instance) {
    ComputeInstance compute = instance.computes().getFirst();
    return new GpuInstance(
        instance.id(),
        instance.profile(),
        instance.placement(),
        List.of(
            new ComputeInstance(
                compute.id(), compute.constant(), compute.slices(), List.of(4711))));
  }
}
