package dev.pitcrew.testbed;

/// The test bed cannot do what was asked. The message is meant for a person: what failed, why, and
/// what to do about it; a command prints it without a stack trace.
public final class TestbedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public TestbedException(String message) {
    super(message);
  }

  public TestbedException(String message, Throwable cause) {
    super(message, cause);
  }
}
