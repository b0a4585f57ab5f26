package dev.pitcrew.agent.dra.slices.plan;

import dev.pitcrew.device.dra.Attribute;
import dev.pitcrew.device.dra.DeviceTaint;
import dev.pitcrew.device.dra.Quantity;
import dev.pitcrew.device.dra.SliceDevice;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Devices of ResourceSlices for tests.
public final class TestDevices {
  public static final DeviceTaint XID =
      new DeviceTaint("gpu.nvidia.com/xid", "79", DeviceTaint.Effect.NO_SCHEDULE);

  private TestDevices() {}

  public static List<SliceDevice> plain(int count) {
    return changed(count, -1);
  }

  /// @param odd the number of the device that is not like the others; none where it is outside
  public static List<SliceDevice> changed(int count, int odd) {
    return IntStream.range(0, count)
        .mapToObj(index -> device("gpu-" + index, index == odd ? "48Gi" : "80Gi"))
        .toList();
  }

  public static List<SliceDevice> renamed(int count) {
    return IntStream.range(0, count).mapToObj(index -> device("vf-" + index, "80Gi")).toList();
  }

  public static Set<String> names(Collection<SliceDevice> devices) {
    return devices.stream().map(SliceDevice::name).collect(Collectors.toUnmodifiableSet());
  }

  private static SliceDevice device(String name, String memory) {
    return new SliceDevice(
        name,
        new TreeMap<>(
            Map.of(
                "type", new Attribute.Text("gpu"),
                "driverVersion", new Attribute.Version("550.163.1"),
                "coherent", new Attribute.Flag(false),
                "resource.kubernetes.io/numaNode", new Attribute.Whole(0))),
        new TreeMap<>(Map.of("memory", new Quantity(memory))),
        List.of());
  }
}
