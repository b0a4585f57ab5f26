package dev.pitcrew.agent.nri;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// Makes frames of the bytes of one connection, in whatever pieces they come.
final class FrameAssembler {
  private ByteString rest = ByteString.EMPTY;

  /// The frames that are complete with this piece.
  ///
  /// @throws NriProtocolException if a frame is longer than ttrpc allows
  List<Frame> add(ByteString piece) throws NriProtocolException {
    rest = rest.concat(piece);
    var frames = new ArrayList<Frame>();
    while (isComplete()) {
      frames.add(next());
    }
    return frames;
  }

  private boolean isComplete() throws NriProtocolException {
    return rest.size() >= Frame.HEADER && rest.size() - Frame.HEADER >= length();
  }

  private int length() throws NriProtocolException {
    int length = header().getInt();
    if (length < 0 || length > Frame.LONGEST_DATA) {
      throw new NriProtocolException(
          "a message of %d bytes; ttrpc allows %d"
              .formatted(Integer.toUnsignedLong(length), Frame.LONGEST_DATA));
    }
    return length;
  }

  private Frame next() {
    ByteBuffer header = header();
    int end = Frame.HEADER + header.getInt();
    var frame =
        new Frame(header.getInt(), header.get(), header.get(), rest.substring(Frame.HEADER, end));
    rest = rest.substring(end);
    return frame;
  }

  private ByteBuffer header() {
    return rest.substring(0, Frame.HEADER).asReadOnlyByteBuffer();
  }
}
