package dev.pitcrew.operator.command;

import java.time.Duration;

/// How to clean up before an uninstall.
///
/// @param namespace where the operands live
/// @param kubeconfig a file, or empty for the pod's service account or the user's default
/// @param timeout for everything together
/// @param deleteDefinitions take the definitions of the kinds away too
public record CleanupOptions(
    String namespace, String kubeconfig, Duration timeout, boolean deleteDefinitions) {}
