package dev.pitcrew.operator.command;

import dev.pitcrew.core.log.LogOptions;
import dev.pitcrew.operator.web.ManagementAddresses;
import java.time.Duration;

/// How the operator runs.
///
/// @param namespace where the operator and its operands live
/// @param podName identity in the leader lease; may be empty when leader election is off
/// @param kubeconfig a file, or empty for the pod's service account or the user's default
/// @param resyncPeriod how often everything is reconciled without a change; zero for never
public record OperatorOptions(
    String namespace,
    String podName,
    String kubeconfig,
    ManagementAddresses addresses,
    LeaderElection leaderElection,
    Duration resyncPeriod,
    LogOptions logging) {}
