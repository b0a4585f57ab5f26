package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import java.net.URI;

/// The operator at work.
///
/// @param user as which the API server knows it
/// @param metricsAddress where its metrics are served
/// @param watch since the start of the process
record OperatorRun(GuardedProcess process, String user, URI metricsAddress, Stopwatch watch) {}
