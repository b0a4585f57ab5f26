package dev.pitcrew.agent.dra.slices.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.ResourcePool;
import dev.pitcrew.device.dra.SliceDevice;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// What a server keeps whose feature gates are off, and what an admission webhook changes.
class KeptTest {
  private static final List<SliceDevice> TAINTED =
      List.of(TestDevices.plain(1).getFirst().withTaints(List.of(TestDevices.XID)));
  private static final ResourcePool POOL = ResourcePool.of(ClaimDevice.DRIVER, "node-a", TAINTED);

  private final StoredSlices stored = new StoredSlices();

  @Test
  void serverThatKeepsEverythingIsRememberedForNothing() {
    KeptSpecs kept = write(_ -> {});

    assertThat(kept).isEqualTo(KeptSpecs.NONE);
    assertThat(kept.of(POOL)).isEqualTo(new Kept.Everything());
  }

  @Test
  void timeOfATaintIsTheServers() {
    KeptSpecs kept =
        write(slice ->
            ((ObjectNode) slice.at("/spec/devices/0/taints/0"))
                .put("timeAdded", "2026-11-28T12:00:00Z"));

    assertThat(kept.of(POOL)).isEqualTo(new Kept.Everything());
    assertThat(stored.plan(TAINTED, kept).writes()).isEmpty();
  }

  @Test
  void droppedFieldIsReportedAndNotWrittenAgain() {
    KeptSpecs kept = write(slice -> ((ObjectNode) slice.at("/spec/devices/0")).remove("taints"));

    assertThat(kept.of(POOL)).isEqualTo(part(Set.of("devices[].taints"), Set.of()));
    assertThat(stored.plan(TAINTED, kept).writes()).isEmpty();
    assertThat(stored.plan(TAINTED, KeptSpecs.NONE).writes()).hasSize(1);
  }

  @Test
  void changedFieldIsReportedAndNotWrittenAgain() {
    KeptSpecs kept =
        write(slice -> {
          ((ObjectNode) slice.at("/spec/devices/0/capacity/memory")).put("value", "1Gi");
          ((ObjectNode) slice.path("spec")).put("allNodes", false);
        });

    assertThat(kept.of(POOL))
        .isEqualTo(part(Set.of(), Set.of("devices[].capacity.memory.value", "allNodes")));
    assertThat(stored.plan(TAINTED, kept).writes()).isEmpty();
  }

  /// What another client drops later is repaired.
  @Test
  void foreignEditOfAKeptSliceIsRepaired() {
    KeptSpecs kept = write(slice -> ((ObjectNode) slice.at("/spec/devices/0")).remove("taints"));
    ((ObjectNode) stored.slices().getFirst().at("/spec/devices/0")).remove("capacity");

    assertThat(stored.plan(TAINTED, kept).writes()).hasSize(1);
  }

  @Test
  void whatIsNoLongerPublishedIsForgotten() {
    KeptSpecs kept = write(slice -> ((ObjectNode) slice.at("/spec/devices/0")).remove("taints"));

    assertThat(kept.retaining(POOL)).isEqualTo(kept);
    assertThat(kept.retaining(ResourcePool.of(ClaimDevice.DRIVER, "node-a", TestDevices.plain(1))))
        .isEqualTo(KeptSpecs.NONE);
  }

  private interface Server {
    void change(ObjectNode slice);
  }

  private KeptSpecs write(Server server) {
    SlicePlan plan = stored.plan(TAINTED);
    stored.apply(plan);
    JsonNode sent = ((SliceWrite.Create) plan.writes().getFirst()).body();
    server.change(stored.slices().getFirst());
    return KeptSpecs.NONE.with(sent, stored.slices().getFirst());
  }

  private static Kept part(Set<String> dropped, Set<String> changed) {
    return new Kept.Part(new TreeSet<>(dropped), new TreeSet<>(changed));
  }
}
