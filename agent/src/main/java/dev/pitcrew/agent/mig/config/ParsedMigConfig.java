package dev.pitcrew.agent.mig.config;

/// What came of reading a configuration file.
public sealed interface ParsedMigConfig {

  record Accepted(MigConfig config) implements ParsedMigConfig {}

  record Rejected(MigConfigProblem problem) implements ParsedMigConfig {}
}
