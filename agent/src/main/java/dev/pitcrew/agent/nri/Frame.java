package dev.pitcrew.agent.nri;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;

/// One message of ttrpc: its length, its stream, its type and flags, then the data; numbers have
/// their highest byte first (github.com/containerd/ttrpc, PROTOCOL.md).
///
/// @param stream odd for the side that opened the connection
record Frame(int stream, byte type, byte flags, ByteString data) {
  static final int HEADER = 10;
  static final int LONGEST_DATA = 4 << 20;

  static final byte REQUEST = 1;
  static final byte RESPONSE = 2;

  /// Flag of a request: more of it follows in frames of its own.
  static final byte REMOTE_OPEN = 2;

  private static final byte NO_FLAGS = 0;

  static Frame request(int stream, ByteString data) {
    return new Frame(stream, REQUEST, NO_FLAGS, data);
  }

  static Frame response(int stream, ByteString data) {
    return new Frame(stream, RESPONSE, NO_FLAGS, data);
  }

  boolean isCall() {
    return type == REQUEST && (flags & REMOTE_OPEN) == 0;
  }

  ByteString encoded() {
    ByteBuffer header =
        ByteBuffer.allocate(HEADER).putInt(data.size()).putInt(stream).put(type).put(flags).flip();
    return ByteString.copyFrom(header).concat(data);
  }
}
