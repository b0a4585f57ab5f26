package dev.pitcrew.agent.nri;

import java.util.List;

/// What becomes of a container that is being created.
public sealed interface DeviceChoice {
  DeviceChoice NOTHING = new Inject(List.of());

  /// It gets these devices, by their full CDI names; most containers get none.
  record Inject(List<String> devices) implements DeviceChoice {
    public Inject {
      devices = List.copyOf(devices);
    }
  }

  /// It starts without the devices that it asks for.
  ///
  /// @param why names the container, what it asks for and the remedy
  record Skip(String why) implements DeviceChoice {}

  /// It is not created; the kubelet tells why on its pod, and tries again.
  ///
  /// @param why names the container, what it asks for and the remedy
  record Refuse(String why) implements DeviceChoice {}
}
