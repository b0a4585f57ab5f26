package dev.pitcrew.agent.settings;

/// Settings together with what they were made from, as far as it was right.
///
/// @param source what to store: an agent that starts without an API server comes to the same
///   configuration by planning from this alone
public record Decision(Settings settings, SettingsSource source) {}
