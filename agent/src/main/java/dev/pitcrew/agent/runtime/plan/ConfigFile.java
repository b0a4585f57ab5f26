package dev.pitcrew.agent.runtime.plan;

/// A file that a runtime reads.
///
/// @param path on the host
public record ConfigFile(String path, String text) {}
