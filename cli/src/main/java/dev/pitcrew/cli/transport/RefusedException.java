package dev.pitcrew.cli.transport;

/// The cluster gave no answer.
public final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Refusal.Kind kind;

  public RefusedException(Refusal refusal) {
    super(refusal.message(), null, false, false);
    this.kind = refusal.kind();
  }

  public Refusal.Kind kind() {
    return kind;
  }

  /// What the commands print.
  public String text() {
    return String.valueOf(getMessage());
  }
}
