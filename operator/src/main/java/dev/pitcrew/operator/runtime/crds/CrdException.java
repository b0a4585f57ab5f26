package dev.pitcrew.operator.runtime.crds;

/// A definition could not be read or installed; the message names it and what to do.
final class CrdException extends RuntimeException {
  CrdException(String message) {
    super(message);
  }

  CrdException(String message, Throwable cause) {
    super(message, cause);
  }
}
