package dev.pitcrew.agent.nodestatus.plan;

/// The status files by which NVIDIA's operator validator, or the agent in its place, reports that a
/// part of the node works.
public enum ReadyFile {
  DRIVER("driver"),
  TOOLKIT("toolkit"),
  PLUGIN("plugin"),
  CUDA("cuda");

  private final String part;

  ReadyFile(String part) {
    this.part = part;
  }

  /// As metrics name it.
  String part() {
    return part;
  }

  public String fileName() {
    return part + "-ready";
  }
}
