package dev.pitcrew.operator.cluster;

import java.util.Map;
import java.util.Optional;

/// Nodes of one NVIDIADriver that can share a driver image.
///
/// @param kernel full kernel version; set where the image holds modules for one kernel
/// @param coreOsRelease OSTree version; set on OpenShift, where modules are built per release
/// @param selector labels of exactly these nodes
public record DriverPool(
    OsRelease os,
    Optional<String> kernel,
    Optional<String> coreOsRelease,
    Map<String, String> selector) {}
