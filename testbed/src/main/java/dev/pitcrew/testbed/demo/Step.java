package dev.pitcrew.testbed.demo;

/// One step of the demo. It does something to the cluster, shows what it reads there, and checks
/// it.
///
/// @param <T> what later steps need of this one
interface Step<T> {
  String title();

  /// @throws dev.pitcrew.testbed.TestbedException if there is nothing for later steps to work with
  T play(Checks checks);
}
