package dev.pitcrew.device.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResourcePoolTest {
  private static final DeviceTaint TAINT =
      new DeviceTaint("gpu.nvidia.com/xid", "79", DeviceTaint.Effect.NO_SCHEDULE);

  @ParameterizedTest
  @CsvSource({
    "0, -1, 0",
    "1, -1, 1",
    "128, -1, 128",
    "129, -1, 128;1",
    "130, 129, 128;2",
    "130, 0, 64;66",
    "200, 100, 64;64;72",
    "64, 3, 64",
    "65, 64, 64;1",
  })
  void slicesHaveAsManyDevicesAsTheApiServerAccepts(int count, int tainted, String sizes) {
    List<SliceDevice> devices = devices(count, tainted);

    var pool = ResourcePool.of(ClaimDevice.DRIVER, "node-a", devices);

    assertThat(pool.slices().stream().map(slice -> String.valueOf(slice.devices().size())))
        .containsExactly(sizes.split(";"));
    assertThat(pool.slices().stream().flatMap(slice -> slice.devices().stream()).toList())
        .isEqualTo(devices);
  }

  @Test
  void namesBeginWithTheIndexOfTheSlice() {
    var pool = ResourcePool.of(ClaimDevice.DRIVER, "node-a", List.of());

    assertThat(pool.generateName(0)).isEqualTo("00000-gpu.nvidia.com-node-a-");
    assertThat(pool.generateName(26)).isEqualTo("0001a-gpu.nvidia.com-node-a-");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0",
    "1, 1, 1",
    "1023, 1023, 1023",
    "1024, 1Ki, 1024",
    "1000, 1k, 1k",
    "5100273664, 4864Mi, 5100273664",
    "85899345920, 80Gi, 85899345920",
    "17179869184, 16Gi, 17179869184",
    "85899345921, 85899345921, 85899345921",
    "1536000, 1500Ki, 1536k",
  })
  void quantitiesAreCanonical(long amount, String bytes, String count) {
    assertThat(Quantity.ofBytes(amount).text()).isEqualTo(bytes);
    assertThat(Quantity.ofCount(amount).text()).isEqualTo(count);
  }

  private static List<SliceDevice> devices(int count, int tainted) {
    return IntStream.range(0, count)
        .mapToObj(index ->
            new SliceDevice(
                "gpu-" + index,
                new TreeMap<>(),
                new TreeMap<>(),
                index == tainted ? List.of(TAINT) : List.of()))
        .toList();
  }
}
