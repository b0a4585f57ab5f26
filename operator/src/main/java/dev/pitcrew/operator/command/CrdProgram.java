package dev.pitcrew.operator.command;

/// Installs and removes custom resource definitions. Returns the exit code.
public interface CrdProgram {
  int apply(CrdOptions options);

  int delete(CrdOptions options);
}
