package dev.pitcrew.agent.cdi;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.Arrays;
import java.util.Optional;

/// How devices are named.
public enum DeviceNaming {
  /// `0`, and `0:1` for a MIG device.
  INDEX("index"),
  /// `GPU-…` and `MIG-…`.
  UUID("uuid"),
  /// `gpu0` and `mig0:1`.
  TYPE_INDEX("type-index");

  private final String text;

  DeviceNaming(String text) {
    this.text = text;
  }

  public static Optional<DeviceNaming> of(String text) {
    return Arrays.stream(values()).filter(naming -> naming.text.equals(text)).findFirst();
  }

  public String name(Gpu gpu) {
    return switch (this) {
      case INDEX -> String.valueOf(gpu.index());
      case UUID -> gpu.uuid();
      case TYPE_INDEX -> "gpu" + gpu.index();
    };
  }

  public String name(Gpu gpu, MigDevice device) {
    return switch (this) {
      case INDEX -> gpu.index() + ":" + device.index();
      case UUID -> device.uuid();
      case TYPE_INDEX -> "mig" + gpu.index() + ":" + device.index();
    };
  }
}
