package dev.pitcrew.operator.metrics;

/// On how many nodes an operand should run, is ready, and runs its newest template.
public record OperandNodes(int desired, int ready, int updated) {}
