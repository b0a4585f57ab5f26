package dev.pitcrew.operator.command;

/// The cluster process. Returns its exit code when it was asked to stop.
@FunctionalInterface
public interface OperatorProgram {
  int run(OperatorOptions options);
}
