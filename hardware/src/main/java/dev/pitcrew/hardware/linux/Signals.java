package dev.pitcrew.hardware.linux;

/// Signals that the JDK does not send.
public final class Signals {
  private static final int HANG_UP = 1;

  private Signals() {}

  /// Asks a daemon to reload its configuration (SIGHUP).
  ///
  /// @return whether there is such a process and we may signal it
  public static boolean hangUp(long process) {
    return process > 1 && process <= Integer.MAX_VALUE && Libc.kill((int) process, HANG_UP) == 0;
  }
}
