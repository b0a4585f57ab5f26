package dev.pitcrew.agent.nri;

import dev.pitcrew.agent.cdi.ContainerEdits;
import java.util.List;

/// What becomes of a container that is being created.
public sealed interface DeviceChoice {
  DeviceChoice NOTHING = new Inject(List.of());

  /// It gets these devices, by their full CDI names; most containers get none.
  ///
  /// @param mounts take the place of those that the runtime makes for the same paths
  record Inject(List<String> devices, List<ContainerEdits.Mount> mounts) implements DeviceChoice {
    public Inject {
      devices = List.copyOf(devices);
      mounts = List.copyOf(mounts);
    }

    Inject(List<String> devices) {
      this(devices, List.of());
    }
  }

  /// It starts without the devices that it asks for.
  ///
  /// @param why names the container, what it asks for and the remedy
  record Skip(String why) implements DeviceChoice {}

  /// It is not created; the kubelet reports why on its pod, and tries again.
  ///
  /// @param why names the container, what it asks for and the remedy
  record Refuse(String why) implements DeviceChoice {}
}
