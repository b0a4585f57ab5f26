package dev.pitcrew.api;

/// JSON that does not fit the resource it should be. The message names the field and its value.
public final class UnreadableResource extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnreadableResource(String message, Throwable cause) {
    super(message, cause);
  }
}
