package dev.pitcrew.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a driver with GPUDirect RDMA waits for, and what no driver waits for.
class NetworkDriversTest {
  private static final String OF_HOST = "the host to load mlx5_core (USE_HOST_MOFED is true)";
  private static final String OF_CONTAINER =
      "the network operator's driver to write /run/mellanox/drivers/.driver-ready";
  private static final String NOTHING = "";
  private static final String MELLANOX = "0x15b3";
  private static final String LOADED = "mlx5_core 1000 1 mlx5_ib, Live 0x0\n";

  @TempDir private Path folder;

  /// @param vendor of the only network card
  /// @param modules as `/proc/modules` has them
  /// @param isReady whether a container has written its file
  record Row(
      String title,
      NetworkDrivers drivers,
      String vendor,
      String modules,
      boolean isReady,
      String lack) {
    @Override
    public String toString() {
      return title;
    }
  }

  @ParameterizedTest
  @MethodSource
  void lacks(Row row) {
    var host = new FakeHost(folder);
    host.text("/sys/bus/pci/devices/0000:05:00.0/vendor", row.vendor() + "\n");
    host.text("/sys/bus/pci/devices/0000:05:00.0/device", "0x1021\n");
    host.text("/sys/bus/pci/devices/0000:05:00.0/class", "0x020700\n");
    host.text("/proc/modules", row.modules());
    if (row.isReady()) {
      host.text("/run/mellanox/drivers/.driver-ready", "");
    }

    assertThat(row.drivers().lack(new HostRoot(folder)))
        .isEqualTo(Optional.of(row.lack()).filter(it -> !it.isEmpty()));
  }

  static Stream<Row> lacks() {
    var off = new NetworkDrivers(false, true);
    var ofHost = new NetworkDrivers(true, true);
    var ofContainer = new NetworkDrivers(true, false);
    return Stream.of(
        new Row("no RDMA", off, MELLANOX, "", false, NOTHING),
        new Row("no such card", ofHost, "0x8086", "", false, NOTHING),
        new Row("the host has none", ofHost, MELLANOX, "mlx5_core_x 1\n", true, OF_HOST),
        new Row("the host has it", ofHost, MELLANOX, LOADED, false, NOTHING),
        new Row("a container has none", ofContainer, MELLANOX, LOADED, false, OF_CONTAINER),
        new Row("a container has it", ofContainer, MELLANOX, "", true, NOTHING));
  }
}
