package dev.pitcrew.operator.command;

/// Takes away what an uninstall would leave behind. Returns the exit code.
@FunctionalInterface
public interface CleanupProgram {
  int run(CleanupOptions options);
}
