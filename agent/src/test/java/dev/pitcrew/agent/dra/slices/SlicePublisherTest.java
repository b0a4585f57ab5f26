package dev.pitcrew.agent.dra.slices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ControllerLoop;
import dev.pitcrew.agent.control.StateStore;
import dev.pitcrew.agent.dra.slices.plan.Kept;
import dev.pitcrew.agent.dra.slices.plan.TestDevices;
import dev.pitcrew.device.dra.Attribute;
import dev.pitcrew.device.dra.DeviceTaint;
import dev.pitcrew.device.dra.Quantity;
import dev.pitcrew.device.dra.SliceDevice;
import dev.pitcrew.device.dra.SliceDevices;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// ResourceSlices on a real API server; the audit log says which calls were made.
@WithControlPlane
class SlicePublisherTest {
  private static final Set<String> GPUS =
      IntStream.range(0, 8).mapToObj("gpu-%d"::formatted).collect(Collectors.toUnmodifiableSet());
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final ControlPlane plane;
  private PublisherBed bed;

  SlicePublisherTest(ControlPlane plane) {
    this.plane = plane;
  }

  @BeforeEach
  void prepare(TestNamespace namespace, @TempDir Path folder) {
    bed = new PublisherBed(plane, namespace.name(), folder);
  }

  @AfterEach
  void end() {
    bed.close();
  }

  @Test
  void equalSlicesAreWrittenOnce() {
    var publisher = bed.publisher();
    var input = bed.input(TestDevices.plain(8));

    assertThat(publisher.controller().reconcile(input)).isEqualTo(Controller.RESYNC);
    assertThat(publisher.controller().reconcile(input)).isEqualTo(Controller.RESYNC);
    bed.awaitSeen(publisher);
    assertThat(publisher.controller().reconcile(input)).isEqualTo(Controller.RESYNC);

    assertThat(bed.writes()).containsExactly("create");
    JsonNode slice = bed.live().getFirst();
    assertThat(slice.at("/metadata/name").asText()).startsWith("00000-gpu.nvidia.com-node-test-");
    JsonNode owner = slice.at("/metadata/ownerReferences/0");
    assertThat(owner.path("kind").asText()).isEqualTo("Node");
    assertThat(owner.path("uid").asText()).isEqualTo(bed.nodeUid());
    assertThat(owner.path("controller").asBoolean()).isTrue();
    assertThat(slice.at("/spec/pool/name").asText()).isEqualTo(bed.node());
    assertThat(slice.at("/spec/devices")).hasSize(8);
    assertThat(slice.at("/spec/devices/7/capacity/memory/value").asText()).isEqualTo("80Gi");
    assertThat(publisher.published())
        .hasSize(3)
        .containsOnly(new SliceController.Published(1, 1, GPUS, new Kept.Everything()));
  }

  @Test
  void restartedAgentAdoptsTheSlicesWithoutAWrite() {
    List<SliceDevice> devices = tainted(TestDevices.plain(130), 3);
    bed.publisher().controller().reconcile(bed.input(devices));
    List<JsonNode> before = bed.live();

    var restarted = bed.publisher();
    assertThat(restarted.controller().reconcile(bed.input(devices))).isEqualTo(Controller.RESYNC);

    // Each agent asks once by a dry run whether taints are kept.
    assertThat(bed.writes()).containsExactly("create", "create", "create", "create");
    assertThat(bed.live()).isEqualTo(before);
    assertThat(restarted.published()).hasSize(1);
  }

  @Test
  void foreignEditIsRepairedAtOnceAndThenNotMoreOftenThanEvery30Seconds() {
    var publisher = bed.publisher();
    var input = bed.input(TestDevices.plain(2));
    publisher.controller().reconcile(input);
    JsonNode spec = bed.live().getFirst().path("spec");
    String name = bed.live().getFirst().at("/metadata/name").asText();

    bed.edit(name, "{'spec': {'devices': [{'name': 'stolen'}]}}");
    bed.awaitSeen(publisher);
    assertThat(publisher.controller().reconcile(input)).isEqualTo(Controller.RESYNC);
    assertThat(bed.live().getFirst().path("spec")).isEqualTo(spec);

    bed.edit(name, "{'metadata': {'ownerReferences': null}}");
    bed.awaitSeen(publisher);
    bed.later(Duration.ofSeconds(10));
    assertThat(publisher.controller().reconcile(input)).isEqualTo(Duration.ofSeconds(20));
    assertThat(bed.writes()).containsExactly("create", "update");

    bed.later(Duration.ofSeconds(20));
    assertThat(publisher.controller().reconcile(input)).isEqualTo(Controller.RESYNC);
    assertThat(bed.writes()).containsExactly("create", "update", "update");
    assertThat(bed.live().getFirst().at("/metadata/ownerReferences")).hasSize(1);
  }

  @Test
  void newDeviceIsOneUpdateOfTheSameGeneration() {
    var publisher = bed.publisher();
    publisher.controller().reconcile(bed.input(TestDevices.plain(7)));
    publisher.controller().reconcile(bed.input(TestDevices.plain(8)));

    assertThat(bed.writes()).containsExactly("create", "update");
    assertThat(bed.live()).hasSize(1);
    assertThat(bed.live().getFirst().at("/spec/devices")).hasSize(8);
    assertThat(bed.live().getFirst().at("/spec/pool/generation").asLong()).isEqualTo(1);
  }

  @Test
  void taintIsOneUpdateThatTheServerKeeps() {
    var publisher = bed.publisher();
    publisher.controller().reconcile(bed.input(TestDevices.plain(2)));
    var input = bed.input(tainted(TestDevices.plain(2), 1));
    publisher.controller().reconcile(input);
    bed.awaitSeen(publisher);
    publisher.controller().reconcile(input);

    assertThat(bed.writes()).containsExactly("create", "create", "update");
    assertThat(bed.live().getFirst().at("/spec/devices/1/taints/0/value").asText()).isEqualTo("79");
    assertThat(publisher.published().getLast().kept()).isEqualTo(new Kept.Everything());
  }

  @Test
  void poolOfManyDevicesHasSeveralSlicesWhichComeAndGo() {
    var publisher = bed.publisher();
    publisher.controller().reconcile(bed.input(TestDevices.plain(130)));
    assertThat(bed.live().stream().map(slice -> slice.at("/spec/devices").size()))
        .containsExactly(128, 2);
    assertThat(bed.live())
        .allMatch(slice -> slice.at("/spec/pool/resourceSliceCount").asInt() == 2);

    publisher.controller().reconcile(bed.input(TestDevices.plain(128)));
    bed.awaitSeen(publisher);
    publisher.controller().reconcile(bed.input(TestDevices.plain(128)));

    assertThat(bed.writes()).containsExactly("create", "create", "update", "delete");
    assertThat(bed.live()).hasSize(1);
    assertThat(bed.live().getFirst().at("/spec/pool/generation").asLong()).isEqualTo(2);
  }

  /// Everything that the API server would refuse or write in another form.
  @Test
  void serverKeepsDevicesOfAllKindsAsTheyAreSent() {
    SliceDevices real =
        SliceDevices.of(Nodes.of(Nodes.gpu(0, new Mig.NotCapable()), Nodes.divided(1, 3)));
    var devices = new ArrayList<>(real.devices());
    devices.add(unusual());
    var publisher = bed.publisher();

    publisher.controller().reconcile(bed.input(devices));

    assertThat(bed.writes()).containsExactly("create", "create");
    assertThat(publisher.published())
        .containsExactly(
            new SliceController.Published(1, 1, TestDevices.names(devices), new Kept.Everything()));
    assertThat(bed.live().getFirst().at("/spec/devices/4/capacity")).hasSize(12);
    assertThat(bed.live().getFirst().at("/spec/devices/4/attributes/long/string").asText())
        .hasSize(32);
  }

  private static SliceDevice unusual() {
    var capacity = new TreeMap<String, Quantity>();
    long[] amounts = {0, 1, 1000, 1023, 1024, 1_536_000};
    for (int index = 0; index < amounts.length; index++) {
      capacity.put("bytes" + index, Quantity.ofBytes(amounts[index]));
      capacity.put("count" + index, Quantity.ofCount(amounts[index]));
    }
    return new SliceDevice(
        "gpu-9",
        new TreeMap<>(
            Map.of(
                "long", new Attribute.Text("ü".repeat(32)),
                "version", new Attribute.Version("0.0.999999999999999999"),
                "big", new Attribute.Whole(Long.MAX_VALUE),
                "flag", new Attribute.Flag(true))),
        capacity,
        List.of(
            TestDevices.XID,
            new DeviceTaint("gpu.nvidia.com/unmonitored", "", DeviceTaint.Effect.NONE),
            new DeviceTaint("gpu.nvidia.com/gpu-lost", "", DeviceTaint.Effect.NO_EXECUTE)));
  }

  /// The first publisher no longer sees what others do.
  @Test
  void conflictIsRetriedLaterWithWhatIsThereThen() {
    var blind = bed.publisher();
    blind.controller().reconcile(bed.input(TestDevices.plain(2)));
    bed.awaitSeen(blind);
    blind.slices().close();
    String name = bed.live().getFirst().at("/metadata/name").asText();
    bed.edit(name, "{'metadata': {'labels': {'a': 'b'}}}");

    Duration pause = blind.controller().reconcile(bed.input(TestDevices.plain(3)));

    assertThat(pause).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
    assertThat(bed.writes()).containsExactly("create", "update 409");
    assertThat(blind.published()).hasSize(1);

    var seeing = bed.publisher();
    assertThat(seeing.controller().reconcile(bed.input(TestDevices.plain(3))))
        .isEqualTo(Controller.RESYNC);
    assertThat(bed.writes()).containsExactly("create", "update 409", "update");
    assertThat(bed.live().getFirst().at("/metadata/labels/a").asText()).isEqualTo("b");
  }

  @Test
  void sliceThatChangedSinceItWasSeenIsNotDeleted() {
    var blind = bed.publisher();
    blind.controller().reconcile(bed.input(TestDevices.plain(130)));
    bed.awaitSeen(blind);
    blind.slices().close();
    String surplus = bed.live().getLast().at("/metadata/name").asText();
    bed.edit(surplus, "{'metadata': {'labels': {'a': 'b'}}}");

    blind.controller().reconcile(bed.input(TestDevices.plain(128)));

    assertThat(bed.writes()).containsExactly("create", "create", "update", "delete 409");
    assertThat(bed.live()).hasSize(2);
  }

  @Test
  void deletedSliceComesBackByTheNewsOfTheWatch() {
    var loop = new AtomicReference<Optional<ControllerLoop>>(Optional.empty());
    var publisher = bed.publisher(() -> loop.get().ifPresent(ControllerLoop::wake));
    var store = new StateStore<>(() -> bed.input(TestDevices.plain(2)), state -> state);
    try (var running =
        ControllerLoop.start("slices", store, Optional::of, publisher.controller())) {
      loop.set(Optional.of(running));
      await().atMost(LIMIT).until(() -> bed.live().size() == 1);
      String name = bed.live().getFirst().at("/metadata/name").asText();

      bed.delete(name);

      await()
          .atMost(LIMIT)
          .until(() ->
              bed.live().size() == 1
                  && !bed.live().getFirst().at("/metadata/name").asText().equals(name));
      assertThat(bed.writes()).containsExactly("create", "create");
    }
  }

  private static List<SliceDevice> tainted(List<SliceDevice> devices, int index) {
    var all = new ArrayList<>(devices);
    all.set(index, devices.get(index).withTaints(List.of(TestDevices.XID)));
    return all;
  }
}
