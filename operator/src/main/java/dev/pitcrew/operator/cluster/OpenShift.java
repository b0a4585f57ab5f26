package dev.pitcrew.operator.cluster;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/// What is special about an OpenShift cluster.
///
/// @param version major and minor, for example `4.16`
/// @param proxy `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` as the cluster-wide Proxy has them,
///   without empty ones
/// @param trustedCa name of the ConfigMap in Proxy.spec.trustedCA
/// @param driverToolkitImages CoreOS release → image, from the ImageStream `driver-toolkit`; empty
///   when there is no such stream
/// @param brokenDriverToolkit whether the stream has a tag without a name
public record OpenShift(
    String version,
    SortedMap<String, String> proxy,
    Optional<String> trustedCa,
    Optional<Map<String, String>> driverToolkitImages,
    boolean brokenDriverToolkit) {}
