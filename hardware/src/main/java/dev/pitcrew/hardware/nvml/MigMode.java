package dev.pitcrew.hardware.nvml;

/// Whether MIG is on, and whether it will be after the next reset.
public record MigMode(boolean current, boolean pending) {}
