package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.status.plan.NodeFacts.SharingFacts;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlace;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.sharing.Sharing;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;

/// A node whose driver lies: a hundred GPUs, endless names, characters that no JSON may have.
final class HostileNode {
  private static final String NOISE = "\u0000\u001b[31m\ud800\u2028\"\\\n" + "ü🔥".repeat(300);
  private static final MigProfile PROFILE = new MigProfile(-1, 1, 5, "+" + NOISE);

  private HostileNode() {}

  static TestNode node() {
    List<Gpu> gpus = IntStream.range(0, 100).mapToObj(HostileNode::gpu).toList();
    var inventory =
        new Inventory(
            new DriverVersion(NOISE, -1, -1),
            gpus,
            List.of(new UnreadableGpu(-7, NOISE)),
            new Topology(links(gpus)));
    return TestNode.onBus(1)
        .withPci(List.of(TestNode.function("0000:ff:1f.7", NOISE)))
        .withSharing(new SharingFacts(Optional.of(NOISE), Sharing.NONE))
        .withProblems(new NodeProblem(NodeProblem.Cause.CONFIGURATION_INVALID, NOISE.repeat(50)))
        .with(new KnownGpus(inventory, Map.of()), unhealthy(gpus));
  }

  private static Gpu gpu(int index) {
    String address = index % 10 == 9 ? NOISE : "0000:%02x:00.0".formatted(index);
    return new Gpu(
        index % 2 == 0 ? -index - 1 : index,
        index,
        index + NOISE,
        new Board(
            NOISE, index % 2 == 0 ? Long.MIN_VALUE : Long.MAX_VALUE, new ComputeCapability(-1, -1)),
        new PciFunction(address, OptionalInt.empty(), OptionalInt.empty()),
        new Mig.Enabled(
            Set.of(PROFILE), IntStream.range(0, 40).mapToObj(HostileNode::part).toList()),
        new Fabric.NotAttached());
  }

  /// Every second one has the UUID of another.
  private static MigDevice part(int index) {
    return new MigDevice(
        index,
        index / 2 + NOISE,
        new MigPlace(-index, Integer.MIN_VALUE),
        PROFILE,
        new MigAttributes(0, 0, 0, new MigAttributes.Engines(0, 0, 0, 0, 0), -1),
        -1,
        Optional.empty());
  }

  private static Map<Topology.Pair, Topology.Link> links(List<Gpu> gpus) {
    var links = new HashMap<Topology.Pair, Topology.Link>();
    var link = new Topology.Link(Topology.CommonAncestor.SYSTEM, 18);
    gpus.forEach(
        from -> gpus.forEach(to -> links.put(new Topology.Pair(from.uuid(), to.uuid()), link)));
    return links;
  }

  private static UnhealthyDevices unhealthy(List<Gpu> gpus) {
    var xids = new HashMap<String, UnhealthyDevices.Xid>();
    gpus.forEach(
        gpu -> xids.put(gpu.uuid(), new UnhealthyDevices.Xid(Long.MIN_VALUE, Instant.EPOCH)));
    gpus.getFirst()
        .mig()
        .migDevices()
        .forEach(part ->
            xids.put(
                part.uuid(),
                new UnhealthyDevices.Xid(part.index(), Instant.ofEpochSecond(part.index()))));
    return new UnhealthyDevices(xids, Map.of(gpus.getLast().uuid(), NOISE));
  }
}
