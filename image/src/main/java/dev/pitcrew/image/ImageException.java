package dev.pitcrew.image;

/// The image cannot be put together; the message says what to do about it.
public final class ImageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ImageException(String message) {
    super(message);
  }
}
