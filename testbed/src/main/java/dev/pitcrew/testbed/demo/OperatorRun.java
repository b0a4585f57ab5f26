package dev.pitcrew.testbed.demo;

import java.net.URI;
import java.util.function.BooleanSupplier;

/// The operator at work.
///
/// @param user as which the API server knows it
/// @param metricsAddress where its metrics are served
/// @param watch since its start
/// @param life whether it still runs
/// @param logCommand the command that follows its log
record OperatorRun(
    String user, URI metricsAddress, Stopwatch watch, BooleanSupplier life, String logCommand) {
  boolean isAlive() {
    return life.getAsBoolean();
  }
}
