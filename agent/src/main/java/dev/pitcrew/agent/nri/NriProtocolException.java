package dev.pitcrew.agent.nri;

import java.io.IOException;

/// The runtime said what no runtime of this interface says, or refused what was said to it.
final class NriProtocolException extends IOException {
  private static final long serialVersionUID = 1;

  NriProtocolException(String message) {
    super(message);
  }
}
