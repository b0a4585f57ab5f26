package dev.pitcrew.cli.command;

/// What the exit code says; the same for every command.
final class ExitCodes {
  static final int OK = 0;

  /// Something is not ready, or keeps what was asked about from working.
  static final int PROBLEM = 1;

  /// Wrong usage or wrong input; picocli's own code too.
  static final int USAGE = 2;

  /// The cluster cannot be reached, or does not allow it.
  static final int UNREACHABLE = 3;

  /// As of a shell whose command was ended by Ctrl-C.
  static final int INTERRUPTED = 130;

  private ExitCodes() {}
}
