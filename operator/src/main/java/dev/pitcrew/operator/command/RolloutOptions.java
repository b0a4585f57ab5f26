package dev.pitcrew.operator.command;

/// What is asked of a roll-out.
///
/// @param namespace where the operator and its operands live
/// @param kubeconfig a file, or empty for the pod's service account or the user's default
/// @param driver name of the NVIDIADriver to look at; empty for all
/// @param version of the driver to plan for; empty for the one that the cluster asks for now
/// @param json for programs, else a table for people
/// @param watch go on until all is done
public record RolloutOptions(
    String namespace,
    String kubeconfig,
    String driver,
    String version,
    boolean json,
    boolean watch) {}
