package dev.pitcrew.operator.command;

/// Looks at roll-outs of drivers, and changes nothing. Returns the exit code.
public interface RolloutProgram {

  /// What a roll-out would do.
  int plan(RolloutOptions options);

  /// How far it is.
  int status(RolloutOptions options);
}
