package dev.pitcrew.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/// TCP ports on loopback that no process listens on. They are free when they are picked; another
/// process may take them first.
public final class FreePorts {
  private FreePorts() {}

  /// One free port.
  public static int one() {
    try (var socket = listening()) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /// Two free ports that differ.
  public static Pair two() {
    // Both are held until both are known, so that they differ.
    try (var first = listening();
        var second = listening()) {
      return new Pair(first.getLocalPort(), second.getLocalPort());
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private static ServerSocket listening() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  private static UncheckedIOException failure(IOException e) {
    return new UncheckedIOException("find a free port on loopback", e);
  }

  /// Two ports that differ.
  public record Pair(int first, int second) {}
}
