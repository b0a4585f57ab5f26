package dev.pitcrew.agent.settings;

/// Whether a function runs on this node now.
public sealed interface FunctionState {
  FunctionState ON = new On();

  record On() implements FunctionState {}

  /// @param why in plain words, naming the field that says so
  record Off(String why) implements FunctionState {}

  /// Another program needs the GPUs for a while and signals when it is done: NVIDIA's driver
  /// manager and MIG manager pause operands by the value of their label.
  ///
  /// @param by the label's word, such as `paused-for-driver-upgrade`
  record Paused(String by) implements FunctionState {}
}
