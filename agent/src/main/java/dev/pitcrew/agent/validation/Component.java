package dev.pitcrew.agent.validation;

import java.util.Arrays;
import java.util.Optional;

/// The parts of a node, under the names of NVIDIA's operator validator, in the order in which they
/// come to work.
public enum Component {
  DRIVER("driver"),
  NVIDIA_PEERMEM("nvidia-peermem"),
  MOFED("mofed"),
  NVIDIA_FS("nvidia-fs"),
  GDRCOPY("gdrcopy"),
  TOOLKIT("toolkit"),
  /// NVIDIA's operator validator has no check and no status file for it.
  CDI("cdi"),
  CUDA("cuda"),
  PLUGIN("plugin");

  private final String text;

  Component(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }

  public static Optional<Component> of(String text) {
    return Arrays.stream(values()).filter(it -> it.text.equals(text)).findFirst();
  }

  /// The file by which others learn that it works.
  Optional<String> statusFile() {
    return this == CDI ? Optional.empty() : Optional.of(text + "-ready");
  }
}
