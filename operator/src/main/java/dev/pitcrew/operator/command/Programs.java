package dev.pitcrew.operator.command;

/// What the sub-commands start.
public record Programs(
    OperatorProgram operator, CrdProgram crds, CleanupProgram cleanup, RolloutProgram rollout) {}
