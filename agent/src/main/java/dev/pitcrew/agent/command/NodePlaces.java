package dev.pitcrew.agent.command;

import dev.pitcrew.hardware.HostRoot;
import java.util.Optional;

/// Where the node and its driver are, seen from this process.
///
/// @param host where `/` of the host is
/// @param driverRoot where the driver's `/` is
/// @param nvml the library, where it was named
public record NodePlaces(HostRoot host, HostRoot driverRoot, Optional<String> nvml) {}
