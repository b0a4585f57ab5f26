package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.cluster.SchemaLimits;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.node.Gpu;
import dev.pitcrew.api.node.GpuHealth;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.MigInstance;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.hardware.pci.PciDevice;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The GPUs of a node by PCI address: those on the bus and those that the driver lists. What is
/// unknown at this moment stays as last reported.
final class ReportedGpus {
  private final NodeFacts facts;
  private final Map<String, Gpu> before;
  private final Instant now;

  private ReportedGpus(NodeFacts facts, GpuNodeStatus before, Instant now) {
    this.facts = facts;
    this.before =
        before.gpus().stream()
            .collect(Collectors.toMap(Gpu::pciAddress, Function.identity(), (first, _) -> first));
    this.now = now;
  }

  static Collection<Gpu> of(NodeFacts facts, GpuNodeStatus before, Instant now) {
    return new ReportedGpus(facts, before, now).byAddress().values();
  }

  /// The GPUs on the bus. A virtual function is a part of one that is there itself.
  static List<PciDevice> onBus(NodeFacts facts) {
    return facts.pci().stream()
        .flatMap(List::stream)
        .filter(it -> it.isNvidiaGpu() && !it.isVirtualFunction())
        .filter(it -> SchemaLimits.isAddress(it.address()))
        .toList();
  }

  private Map<String, Gpu> byAddress() {
    var gpus = new TreeMap<String, Gpu>();
    if (facts.pci().isEmpty()) {
      gpus.putAll(before);
    }
    onBus(facts).forEach(it -> gpus.put(it.address(), unlisted(it)));
    inventory()
        .ifPresent(inventory ->
            inventory.gpus().stream()
                .filter(gpu -> SchemaLimits.isAddress(gpu.pci().address()))
                .forEach(gpu -> gpus.put(gpu.pci().address(), listed(gpu, inventory))));
    return gpus;
  }

  private Optional<Inventory> inventory() {
    return facts.snapshot().flatMap(NodeSnapshot::inventory);
  }

  private Gpu unlisted(PciDevice function) {
    String address = function.address();
    return facts
        .withDriver()
        .filter(loaded -> !isPending(loaded))
        .map(loaded -> HealthFindings.unlisted(function, unreadable(loaded)))
        .map(findings -> bare(address, findings.health(healthBefore(address), now)))
        .orElseGet(() -> before.getOrDefault(address, bare(address, GpuHealth.ABSENT)));
  }

  /// Which of those on the bus is still being read cannot be said; nothing is held against any.
  private static boolean isPending(NodeSnapshot.WithDriver loaded) {
    return loaded.gpus().inventory().unreadable().stream().anyMatch(UnreadableGpu::isPending);
  }

  private static List<String> unreadable(NodeSnapshot.WithDriver loaded) {
    return loaded.gpus().inventory().unreadable().stream().map(UnreadableGpu::reason).toList();
  }

  private static Gpu bare(String address, GpuHealth health) {
    return new Gpu(
        address, null, null, null, null, null, Absent.list(), Absent.list(), health, Map.of());
  }

  private Gpu listed(dev.pitcrew.device.inventory.Gpu gpu, Inventory inventory) {
    return new Gpu(
        gpu.pci().address(),
        SchemaLimits.countOrNull(gpu.index()),
        SchemaLimits.nameOrNull(gpu.uuid(), SchemaLimits.NAME),
        SchemaLimits.nameOrNull(gpu.board().name(), SchemaLimits.PRODUCT),
        memoryMiB(gpu.board().memoryBytes()),
        gpu.mig().isCapable(),
        instances(gpu),
        peers(gpu, inventory),
        health(gpu),
        Map.of());
  }

  /// Without a driver the last health stays.
  private GpuHealth health(dev.pitcrew.device.inventory.Gpu gpu) {
    GpuHealth last = healthBefore(gpu.pci().address());
    return facts
        .withDriver()
        .map(loaded -> HealthFindings.of(gpu, loaded).health(last, now))
        .orElse(last);
  }

  private GpuHealth healthBefore(String address) {
    return Optional.ofNullable(before.get(address)).map(Gpu::health).orElse(GpuHealth.ABSENT);
  }

  private static @Nullable Long memoryMiB(long bytes) {
    return bytes <= 0 ? null : bytes >> 20;
  }

  private static List<MigInstance> instances(dev.pitcrew.device.inventory.Gpu gpu) {
    var byUuid = new LinkedHashMap<String, MigInstance>();
    gpu.mig().migDevices().stream()
        .map(ReportedGpus::instance)
        .filter(it -> !it.uuid().isEmpty())
        .forEach(it -> byUuid.putIfAbsent(it.uuid(), it));
    return orAbsent(byUuid.values().stream().limit(SchemaLimits.INSTANCES));
  }

  private static MigInstance instance(MigDevice part) {
    return new MigInstance(
        SchemaLimits.name(part.uuid(), SchemaLimits.NAME),
        SchemaLimits.name(part.profile().name(), SchemaLimits.NAME),
        SchemaLimits.countOrNull(part.place().gpuInstance()),
        SchemaLimits.countOrNull(part.place().computeInstance()),
        null,
        Map.of());
  }

  private static List<String> peers(dev.pitcrew.device.inventory.Gpu gpu, Inventory inventory) {
    return orAbsent(
        inventory.gpus().stream()
            .filter(peer -> !peer.uuid().equals(gpu.uuid()))
            .filter(peer -> inventory.topology().between(gpu.uuid(), peer.uuid()).nvLinks() > 0)
            .map(peer -> peer.pci().address())
            .filter(SchemaLimits::isAddress)
            .sorted()
            .distinct()
            .limit(SchemaLimits.GPUS));
  }

  private static <T> List<T> orAbsent(Stream<T> items) {
    List<T> list = items.toList();
    return list.isEmpty() ? Absent.list() : list;
  }
}
