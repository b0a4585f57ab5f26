package dev.pitcrew.device.mps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.device.allocatable.PhysicalDevice;
import dev.pitcrew.device.allocatable.PhysicalDevice.Place;
import dev.pitcrew.device.allocatable.Resource;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.mps.MpsDaemon.LimitedGpu;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MpsPlanTest {
  private static final long GIB = 1L << 30;

  @Test
  void everySharedResourceHasADaemonWhoseClientsHaveEqualParts() {
    var plan =
        MpsPlan.of(
            List.of(
                resource("nvidia.com/gpu", both(replicas(0, 4, "8.0"), replicas(1, 4, "8.0"))),
                resource("nvidia.com/gpu.shared", replicas(2, 3, "8.0"))));

    assertThat(plan.refused()).isEmpty();
    assertThat(plan.daemons())
        .containsExactly(
            new MpsDaemon(
                "nvidia.com/gpu",
                25,
                List.of(new LimitedGpu("0", "GPU-0", 10240), new LimitedGpu("1", "GPU-1", 10240))),
            new MpsDaemon(
                "nvidia.com/gpu.shared", 33, List.of(new LimitedGpu("2", "GPU-2", 13653))));
  }

  @Test
  void unsharedResource_needsNoDaemon() {
    var whole =
        new Resource(
            "nvidia.com/gpu", List.of(Device.whole(gpu(0, "8.0"), Optional.empty())), true);

    assertThat(MpsPlan.of(List.of(whole)).daemons()).isEmpty();
  }

  // Volta is 7.0; the reference takes it for older.
  @ParameterizedTest
  @CsvSource({"6.1, 16", "7.0, 48", "7.5, 48", "9.0, 48", "12.0, 48"})
  void aGpuTakesSoManyClients(String capability, int most) {
    var fitting = MpsPlan.of(List.of(resource("nvidia.com/gpu", replicas(0, most, capability))));
    var many = MpsPlan.of(List.of(resource("nvidia.com/gpu", replicas(0, most + 1, capability))));

    assertThat(fitting.daemons()).hasSize(1);
    assertThat(many.daemons()).isEmpty();
    assertThat(many.refused())
        .containsEntry(
            "nvidia.com/gpu",
            ("sharing.mps.resources[].replicas is %d and GPU 0 (compute capability %s) takes %d"
                    + " clients at most: give %d or fewer")
                .formatted(most + 1, capability, most, most));
  }

  @Test
  void migDevicesCannotBeShared() {
    var part =
        new PhysicalDevice(
            "MIG-1",
            "GPU-0",
            new Place(0, OptionalInt.of(1)),
            OptionalInt.empty(),
            List.of(),
            GIB,
            capability("8.0"));
    var resource = new Resource("nvidia.com/gpu", List.of(replica(part, 0, 2)), true);

    assertThat(MpsPlan.of(List.of(resource)).refused())
        .containsEntry(
            "nvidia.com/gpu",
            "sharing.mps cannot share MIG device MIG-1: switch MIG off or use"
                + " sharing.timeSlicing");
  }

  private static Resource resource(String name, List<Device> devices) {
    return new Resource(name, devices, true);
  }

  private static List<Device> both(List<Device> some, List<Device> others) {
    return Stream.concat(some.stream(), others.stream()).toList();
  }

  private static List<Device> replicas(int index, int count, String capability) {
    return IntStream.range(0, count)
        .mapToObj(number -> replica(gpu(index, capability), number, count))
        .toList();
  }

  private static Device replica(PhysicalDevice device, int number, int count) {
    return new Device(device.uuid() + "::" + number, device, number, count, Optional.empty());
  }

  private static PhysicalDevice gpu(int index, String capability) {
    return new PhysicalDevice(
        "GPU-" + index,
        "GPU-" + index,
        new Place(index, OptionalInt.empty()),
        OptionalInt.empty(),
        List.of(),
        40 * GIB,
        capability(capability));
  }

  private static ComputeCapability capability(String text) {
    int dot = text.indexOf('.');
    return new ComputeCapability(
        Integer.parseInt(text.substring(0, dot)), Integer.parseInt(text.substring(dot + 1)));
  }
}
