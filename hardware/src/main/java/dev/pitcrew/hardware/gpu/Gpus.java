package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.EventSetHandle;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import dev.pitcrew.hardware.pci.PciDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/// The GPUs of a node while its driver is loaded.
///
/// Open it when the driver appears, close it before the driver may go: an open NVML keeps the
/// kernel module in use. Where the driver went all the same, every inventory fails until it is
/// closed and opened again. Whoever calls waits at most for the deadline of the settings, whatever
/// one GPU does.
public final class Gpus implements AutoCloseable {
  private final GpuSettings settings;
  private final NvmlLibrary nvml;
  private final Lane node;
  private final Map<Integer, Lane> lanes = new ConcurrentHashMap<>();
  private final List<GpuWatch> watches = new CopyOnWriteArrayList<>();
  private final TopologyCache topologies;

  private record Driver(DriverVersion version, int gpuCount) {}

  private Gpus(GpuSettings settings, NvmlLibrary nvml, Lane node) {
    this.settings = settings;
    this.nvml = nvml;
    this.node = node;
    topologies = new TopologyCache(nvml.links(), this::lane);
  }

  /// Opens NVML where `settings` say it is.
  public static Answer<Gpus> open(GpuSettings settings) {
    return Opening.of(settings).map(nvml -> started(settings, nvml));
  }

  private static Gpus started(GpuSettings settings, NvmlLibrary nvml) {
    return new Gpus(settings, nvml, new Lane("nvml-node", settings.deadline()));
  }

  /// Everything about all GPUs. A GPU that does not answer is among the unreadable ones; there is
  /// no inventory only where the driver itself does not answer.
  public Answer<Inventory> inventory() {
    return node.ask("reading the driver", this::driver).map(this::inventory);
  }

  /// One GPU alone, by its NVML index.
  public Answer<Gpu> gpu(int index) {
    return begin(index, reader())
        .await()
        .flatMap(found ->
            switch (found) {
              case GpuAt.Compute(var gpu, _) -> Answer.of(gpu);
              case GpuAt.DisplayOnly() -> new Answer.NotSupported<>("GPU " + index);
            });
  }

  /// Whether the last call about a GPU came back in time.
  public boolean isResponsive(int index) {
    return lane(index).isResponsive();
  }

  /// Tells `listener`, on a thread of its own, what happens on the GPUs from now on. GPUs that come
  /// later need a new watch.
  public Answer<GpuWatch> watch(Consumer<HealthSignal> listener) {
    var prepared =
        node.ask(
            "preparing events",
            () ->
                Answer.join(nvml.driver().deviceCount(), nvml.events().createSet(), Prepared::new));
    return prepared.map(ready -> watch(ready, listener));
  }

  private record Prepared(int gpuCount, EventSetHandle set) {}

  private GpuWatch watch(Prepared ready, Consumer<HealthSignal> listener) {
    var watched = new WatchRegistration(nvml, this::lane, ready.set()).register(ready.gpuCount());
    var watch = GpuWatch.started(nvml, watched, listener);
    watches.add(watch);
    return watch;
  }

  private Answer<Driver> driver() {
    var calls = nvml.driver();
    var version =
        Answer.join(
            calls.driverVersion(), calls.cudaVersion().ifNotSupported(0), Gpus::driverVersion);
    return Answer.join(version, calls.deviceCount(), Driver::new);
  }

  // CUDA counts 12040 for 12.4.
  private static DriverVersion driverVersion(String driver, int cuda) {
    return new DriverVersion(driver, cuda / 1000, cuda % 1000 / 10);
  }

  private Inventory inventory(Driver driver) {
    var reader = reader();
    var jobs =
        IntStream.range(0, driver.gpuCount()).mapToObj(index -> begin(index, reader)).toList();
    var gpus = new ArrayList<GpuAt.Compute>();
    var unreadable = new ArrayList<UnreadableGpu>();
    for (int index = 0; index < jobs.size(); index++) {
      switch (jobs.get(index).await()) {
        case Answer.Value(GpuAt.Compute gpu) -> gpus.add(gpu);
        case Answer.Value(GpuAt.DisplayOnly()) -> {}
        case Answer<GpuAt> none -> unreadable.add(new UnreadableGpu(index, none.reason()));
      }
    }
    return new Inventory(
        driver.version(),
        gpus.stream().map(GpuAt.Compute::gpu).toList(),
        unreadable,
        topologies.of(gpus));
  }

  private Job<GpuAt> begin(int index, GpuReader reader) {
    return lane(index).begin("reading GPU " + index, () -> reader.read(index));
  }

  private GpuReader reader() {
    var host = settings.host();
    return new GpuReader(nvml, new PciDevices(host), MigMinors.read(host));
  }

  private Lane lane(int index) {
    return lanes.computeIfAbsent(index, gpu -> new Lane("nvml-gpu-" + gpu, settings.deadline()));
  }

  /// Ends all watches and closes NVML. Only a GPU that hangs keeps its thread and the library.
  @Override
  public void close() {
    watches.forEach(GpuWatch::close);
    lanes.values().forEach(Lane::close);
    node.ask(
        "closing NVML",
        () -> {
          nvml.close();
          return Answer.of(true);
        });
    node.close();
  }
}
