package dev.pitcrew.agent.nri;

import com.google.protobuf.ByteString;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.stream.Stream;

/// The one socket between a runtime and a plugin, with the two connections on it: each piece of
/// theirs has the connection's number and its own length before it (github.com/containerd/nri,
/// pkg/net/multiplex).
final class Multiplexer implements AutoCloseable {
  private static final int HEADER = 8;
  private static final int LONGEST_PIECE = Frame.HEADER + Frame.LONGEST_DATA;

  /// The runtime reads into a buffer of this size, and ends a connection whose piece is larger.
  private static final int LONGEST_SENT_PIECE = 4096;

  /// The connections, by who serves them.
  enum Line {
    PLUGIN(1),
    RUNTIME(2);

    private final int number;

    Line(int number) {
      this.number = number;
    }

    private static Optional<Line> of(int number) {
      return Stream.of(values()).filter(line -> line.number == number).findFirst();
    }
  }

  record Received(Line line, Frame frame) {}

  private final SocketChannel socket;
  private final Map<Line, FrameAssembler> assemblers = new EnumMap<>(Line.class);
  private final Queue<Received> received = new ArrayDeque<>();

  Multiplexer(SocketChannel socket) {
    this.socket = socket;
    Stream.of(Line.values()).forEach(line -> assemblers.put(line, new FrameAssembler()));
  }

  static Multiplexer connect(Path path) throws IOException {
    SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      socket.connect(UnixDomainSocketAddress.of(path));
      return new Multiplexer(socket);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /// The next frame of either connection, as soon as it is there; empty when the runtime has closed
  /// the socket.
  Optional<Received> receive() throws IOException {
    boolean isOpen = true;
    while (received.isEmpty() && isOpen) {
      isOpen = readPiece();
    }
    return Optional.ofNullable(received.poll());
  }

  /// @return whether there was one
  private boolean readPiece() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    if (socket.read(header) < 0) {
      return false;
    }
    fill(header);
    add(header.flip());
    return true;
  }

  private void add(ByteBuffer header) throws IOException {
    Optional<Line> line = Line.of(header.getInt());
    int length = header.getInt();
    if (length < 0 || length > LONGEST_PIECE) {
      throw new NriProtocolException(
          "a piece of %d bytes; at most %d are allowed"
              .formatted(Integer.toUnsignedLong(length), LONGEST_PIECE));
    }
    ByteBuffer content = ByteBuffer.allocate(length);
    fill(content);
    ByteString piece = ByteString.copyFrom(content.flip());
    if (line.isPresent()) {
      for (Frame frame : Objects.requireNonNull(assemblers.get(line.get())).add(piece)) {
        received.add(new Received(line.get(), frame));
      }
    }
  }

  void send(Line line, Frame frame) throws IOException {
    ByteString bytes = frame.encoded();
    for (int start = 0; start < bytes.size(); start += LONGEST_SENT_PIECE) {
      int end = Math.min(start + LONGEST_SENT_PIECE, bytes.size());
      write(line, bytes.substring(start, end));
    }
  }

  private void write(Line line, ByteString piece) throws IOException {
    ByteBuffer out = ByteBuffer.allocate(HEADER + piece.size());
    out.putInt(line.number).putInt(piece.size());
    piece.copyTo(out);
    out.flip();
    while (out.hasRemaining()) {
      socket.write(out);
    }
  }

  private void fill(ByteBuffer in) throws IOException {
    while (in.hasRemaining()) {
      if (socket.read(in) < 0) {
        throw new EOFException("the runtime closed the connection in the middle of a message");
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
