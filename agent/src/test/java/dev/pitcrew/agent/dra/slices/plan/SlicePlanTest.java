package dev.pitcrew.agent.dra.slices.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.ResourcePool;
import dev.pitcrew.device.dra.SliceDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlicePlanTest {
  private final StoredSlices stored = new StoredSlices();

  @Test
  void firstSlicesHaveTheFirstGeneration() {
    SlicePlan plan = stored.plan(TestDevices.plain(130));

    assertThat(plan.generation()).isEqualTo(1);
    assertThat(plan.writes()).hasSize(2).allMatch(SliceWrite.Create.class::isInstance);
    stored.apply(plan);
    assertThat(stored.names())
        .containsExactly("00000-gpu.nvidia.com-node-a-r1", "00001-gpu.nvidia.com-node-a-r2");
    assertThat(stored.generations()).containsExactly(1L, 1L);
    assertThat(stored.slices())
        .allMatch(slice -> slice.at("/spec/pool/resourceSliceCount").asInt() == 2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 8, 130})
  void equalSlicesAreNotWritten(int devices) {
    stored.publish(TestDevices.plain(devices));

    assertThat(stored.plan(TestDevices.plain(devices)).writes()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    // devices before, changed ones after, number after, calls, generation after
    "8, 3, 8, update, 1",
    "130, 129, 130, update, 1",
    "8, -1, 9, update, 1",
    "8, -1, 7, update, 1",
    "8, -1, 0, update, 1",
    "128, -1, 129, update create, 2",
    "129, -1, 128, update delete, 2",
    "300, 0, 300, update, 1",
    "300, -1, 128, update delete delete, 2",
  })
  void generationStaysWhereOneUpdateDoesIt(
      int before, int tainted, int after, String calls, long generation) {
    stored.publish(TestDevices.plain(before));

    SlicePlan plan = stored.plan(TestDevices.changed(after, tainted));

    assertThat(plan.writes().stream().map(SlicePlanTest::kind)).containsExactly(calls.split(" "));
    assertThat(plan.generation()).isEqualTo(generation);
    stored.apply(plan);
    assertThat(stored.generations()).containsOnly(generation);
    assertThat(stored.plan(TestDevices.changed(after, tainted)).writes()).isEmpty();
  }

  /// The time since a taint was added is for how long pods may tolerate it.
  @Test
  void taintThatStaysKeepsItsTime() {
    List<SliceDevice> one = tainted(1);
    stored.publish(one);
    JsonNode live = stored.slices().getFirst();
    ((ObjectNode) live.at("/spec/devices/1/taints/0")).put("timeAdded", "2026-01-01T00:00:00Z");
    List<SliceDevice> both = new ArrayList<>(one);
    both.set(0, both.getFirst().withTaints(List.of(TestDevices.XID)));

    var plan =
        SlicePlan.of(
            ResourcePool.of(ClaimDevice.DRIVER, "node-a", both),
            live.at("/metadata/ownerReferences/0/uid").asText(),
            List.of(live),
            KeptSpecs.NONE);

    assertThat(plan.writes()).hasSize(1);
    JsonNode body = ((SliceWrite.Update) plan.writes().getFirst()).body();
    assertThat(body.at("/spec/devices/0/taints/0/value").asText()).isEqualTo("79");
    assertThat(body.at("/spec/devices/0/taints/0/timeAdded").isMissingNode()).isTrue();
    assertThat(body.at("/spec/devices/1/taints/0/timeAdded").asText())
        .isEqualTo("2026-01-01T00:00:00Z");
  }

  private static List<SliceDevice> tainted(int index) {
    var devices = new ArrayList<>(TestDevices.plain(2));
    devices.set(index, devices.get(index).withTaints(List.of(TestDevices.XID)));
    return devices;
  }

  @Test
  void twoChangedSlicesAreANewGeneration() {
    stored.publish(TestDevices.plain(200));

    SlicePlan plan = stored.plan(TestDevices.renamed(200));

    assertThat(plan.writes()).hasSize(2).allMatch(SliceWrite.Update.class::isInstance);
    assertThat(plan.generation()).isEqualTo(2);
  }

  /// Each line is an edit with a JSON pointer and the value that is put there.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/spec/devices/0/attributes/type | {\"string\": \"x\"}",
        "/spec/devices/0/attributes/more | {\"int\": 1}",
        "/spec/devices/0/capacity/memory | {\"value\": \"1Gi\"}",
        "/spec/devices/1 | {\"name\": \"other\"}",
        "/spec/devices/0/taints | [{\"key\": \"a\", \"effect\": \"NoSchedule\"}]",
        "/spec/devices | []",
        "/spec/sharedCounters | [{\"name\": \"a\", \"counters\": {}}]",
        "/spec/pool/resourceSliceCount | 2",
        "/metadata/ownerReferences | []",
      })
  void foreignEditIsRepairedByOneUpdate(String pointer, String value) {
    stored.publish(TestDevices.plain(2));
    stored.edit(0, pointer, ApiJson.read(value, JsonNode.class));

    SlicePlan plan = stored.plan(TestDevices.plain(2));

    assertThat(plan.writes()).singleElement().isInstanceOf(SliceWrite.Update.class);
    assertThat(plan.generation()).isEqualTo(1);
    stored.apply(plan);
    assertThat(stored.plan(TestDevices.plain(2)).writes()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/spec/devices/0/taints | []",
        "/spec/sharedCounters | []",
        "/spec/allNodes | null",
        "/metadata/labels | {\"a\": \"b\"}",
        "/spec/pool/generation | 7",
      })
  void editWithoutEffectIsLeftAlone(String pointer, String value) {
    stored.publish(TestDevices.plain(2));
    stored.edit(0, pointer, ApiJson.read(value, JsonNode.class));

    assertThat(stored.plan(TestDevices.plain(2)).writes()).isEmpty();
  }

  @Test
  void updateNamesWhatItReplacesAndKeepsForeignLabels() {
    stored.publish(TestDevices.plain(1));
    stored.edit(0, "/metadata/labels", ApiJson.read("{\"a\": \"b\"}", JsonNode.class));
    String version = stored.slices().getFirst().at("/metadata/resourceVersion").asText();

    var update = (SliceWrite.Update) stored.plan(TestDevices.plain(2)).writes().getFirst();

    assertThat(update.body().at("/metadata/resourceVersion").asText()).isEqualTo(version);
    assertThat(update.body().at("/metadata/labels/a").asText()).isEqualTo("b");
    assertThat(update.body().at("/spec/pool/generation").asLong()).isEqualTo(1);
  }

  @Test
  void slicesOfOlderGenerationsAndOtherPoolsAreDeletedWithPreconditions() {
    stored.publish(TestDevices.plain(1));
    ObjectNode old = stored.copy(0, "old");
    stored.copy(0, "foreign");
    stored.edit(0, "/spec/pool/generation", ApiJson.read("2", JsonNode.class));
    stored.edit(2, "/spec/pool/name", ApiJson.read("\"other\"", JsonNode.class));

    SlicePlan plan = stored.plan(TestDevices.plain(1));

    assertThat(plan.generation()).isEqualTo(2);
    assertThat(plan.writes())
        .extracting(write -> ((SliceWrite.Delete) write).name())
        .containsExactlyInAnyOrder("old", "foreign");
    assertThat(plan.writes())
        .contains(
            new SliceWrite.Delete(
                "old",
                old.at("/metadata/uid").asText(),
                old.at("/metadata/resourceVersion").asText()));
  }

  /// Earlier versions of NVIDIA's driver named slices without an index.
  @Test
  void sliceWithAnotherNameIsAdopted() {
    stored.publish(TestDevices.plain(2));
    stored.edit(
        0, "/metadata/name", ApiJson.read("\"node-a-gpu.nvidia.com-x7k2p\"", JsonNode.class));

    assertThat(stored.plan(TestDevices.plain(2)).writes()).isEmpty();
    assertThat(stored.plan(TestDevices.plain(3)).writes())
        .singleElement()
        .isInstanceOfSatisfying(
            SliceWrite.Update.class,
            update -> assertThat(update.name()).isEqualTo("node-a-gpu.nvidia.com-x7k2p"));
  }

  @Test
  void missingSliceIsCreatedInANewGeneration() {
    stored.publish(TestDevices.plain(130));
    stored.remove(1);

    SlicePlan plan = stored.plan(TestDevices.plain(130));

    assertThat(plan.writes().stream().map(SlicePlanTest::kind)).containsExactly("update", "create");
    assertThat(plan.generation()).isEqualTo(2);
  }

  /// A plan that stopped after any of its calls is followed by one that ends as it would have.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void plansConvergeWhereverTheyStop(long seed) {
    var random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      List<SliceDevice> wanted = TestDevices.changed(random.nextInt(400), random.nextInt(400));
      SlicePlan plan = stored.plan(wanted);
      stored.apply(plan, random.nextInt(plan.writes().size() + 1));
      stored.apply(stored.plan(wanted));

      assertThat(stored.plan(wanted).writes()).isEmpty();
      assertThat(stored.generations().stream().distinct()).hasSize(1);
      assertThat(stored.devices()).isEqualTo(wanted.stream().map(SliceDevice::name).toList());
      var pool = ResourcePool.of(ClaimDevice.DRIVER, "node-a", wanted);
      assertThat(stored.slices()).hasSize(pool.slices().size());
    }
  }

  private static String kind(SliceWrite write) {
    return switch (write) {
      case SliceWrite.Create _ -> "create";
      case SliceWrite.Update _ -> "update";
      case SliceWrite.Delete _ -> "delete";
    };
  }
}
