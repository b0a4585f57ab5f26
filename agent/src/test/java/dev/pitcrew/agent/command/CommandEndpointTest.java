package dev.pitcrew.agent.command;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.command.CommandEndpoint.Reply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the gate, or any client of the socket, is answered.
@Timeout(60)
class CommandEndpointTest {
  /// A bar stands for a NUL, in all requests here.
  private static final String ASKED = "inventory|-o|json||";

  private static final String ANSWERED = "ra" + bytes(3, 0, 0, 0, 4, 0, 0, 0, 3) + "warnone";

  @TempDir private Path folder;
  private Path socket = Path.of("");
  private final Queue<List<String>> asked = new ConcurrentLinkedQueue<>();
  private final List<CommandEndpoint> endpoints = new ArrayList<>();

  @BeforeEach
  void place() {
    socket = folder.resolve("private/agent.sock");
  }

  @AfterEach
  void close() {
    endpoints.forEach(CommandEndpoint::close);
  }

  @Test
  void aCommandLineIsHandedOnAndItsAnswerComesBack() throws IOException {
    serve(_ -> done("warn", "one"));

    assertThat(ask(ASKED)).isEqualTo(ANSWERED);
    assertThat(asked).containsExactly(List.of("inventory", "-o", "json"));
  }

  @Test
  void aCommandThatIsLeftToTheGateIsDeclined() throws IOException {
    serve(_ -> new Reply.Declined());

    assertThat(ask("plugin||")).isEqualTo("rd" + bytes(new int[9]));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "|",
        "||",
        "inventory",
        "inventory|",
        "inventory|-o",
        "inventory||-o||",
        "inventory|||",
        "GET / HTTP/1.1"
      })
  void invalidRequest_isNotAnswered_andDisturbsNoOtherClient(String request) throws IOException {
    serve(_ -> done("warn", "one"));

    assertThat(ask(request)).isEmpty();
    assertThat(asked).isEmpty();
    assertThat(ask(ASKED)).isEqualTo(ANSWERED);
  }

  @Test
  void aRequestThatIsTooLongIsNotRead() throws IOException {
    serve(_ -> done("warn", "one"));

    assertThat(ask("x".repeat(100_000) + "||")).isEmpty();
    assertThat(ask((char) 0xff + "||")).isEmpty();
    assertThat(asked).isEmpty();
    assertThat(ask(ASKED)).isEqualTo(ANSWERED);
  }

  /// A second client is answered although the first neither asks nor leaves, and the first is let
  /// go.
  @Test
  void silentClient_isDisconnected() throws IOException {
    serve(_ -> done("warn", "one"));

    try (var idle = connect()) {
      assertThat(ask(ASKED)).isEqualTo(ANSWERED);
      assertThat(rest(idle)).isEmpty();
    }
  }

  /// As many as it bears at once, and then one more, which is served when they are disconnected.
  @Test
  void clientsThatDoNotRead_areDisconnected() throws IOException {
    String large = "x".repeat(1024 * 1024);
    serve(_ -> done("", large));
    List<SocketChannel> deaf = new ArrayList<>();
    try {
      for (int client = 0; client < 4; client++) {
        deaf.add(connect());
        deaf.getLast().write(encoded(ASKED));
        assertThat(deaf.getLast().read(ByteBuffer.allocate(1))).isEqualTo(1);
      }

      await().untilAsserted(() -> assertThat(ask(ASKED)).hasSize(11 + large.length()));
    } finally {
      for (SocketChannel client : deaf) {
        client.close();
      }
    }
  }

  @Test
  void moreClientsThanItCanBearAreSentAwayAtOnce() throws Exception {
    var goOn = new CountDownLatch(1);
    serve(_ -> {
      pass(goOn);
      return done("warn", "one");
    });
    List<SocketChannel> waiting = new ArrayList<>();
    try {
      for (int client = 0; client < 4; client++) {
        waiting.add(connect());
        waiting.getLast().write(encoded(ASKED));
        assertThat(waiting.getLast().read(ByteBuffer.allocate(1))).isEqualTo(1);
      }

      assertThat(ask(ASKED)).isEmpty();
      goOn.countDown();
      for (SocketChannel client : waiting) {
        assertThat(rest(client)).isEqualTo(ANSWERED.substring(1));
      }
    } finally {
      for (SocketChannel client : waiting) {
        client.close();
      }
    }
  }

  @Test
  void aCommandThatFailsAnswersNothingAndTheNextIsServed() throws IOException {
    serve(words -> {
      if (words.contains("bad")) {
        throw new IllegalStateException("a fault");
      }
      return done("warn", "one");
    });

    assertThat(ask("bad||")).isEqualTo("r");
    assertThat(ask(ASKED)).isEqualTo(ANSWERED);
  }

  @Test
  void onlyRootGetsIn() throws IOException {
    serve(_ -> new Reply.Declined());

    assertThat(mode(socket)).isEqualTo("rw-------");
    assertThat(mode(folder.resolve("private"))).isEqualTo("rwx------");
  }

  @Test
  void theSocketOfAKilledAgentIsReplacedAndGoesWithItsEnd() throws IOException {
    Files.createDirectory(folder.resolve("private"));
    try (var killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      killed.bind(UnixDomainSocketAddress.of(socket));
    }
    assertThat(socket).exists();

    serve(_ -> done("warn", "one"));

    assertThat(ask(ASKED)).isEqualTo(ANSWERED);
    endpoints.removeFirst().close();
    assertThat(socket).doesNotExist();
  }

  @Test
  void whereItCannotListenThereIsNone() throws IOException {
    Files.writeString(folder.resolve("private"), "no folder");

    assertThat(CommandEndpoint.open(socket, _ -> new Reply.Declined())).isEmpty();
  }

  private void serve(Function<List<String>, Reply> commands) {
    Optional<CommandEndpoint> opened =
        CommandEndpoint.open(
            socket,
            words -> {
              asked.add(words);
              return commands.apply(words);
            },
            Duration.ofSeconds(1));
    endpoints.add(opened.orElseThrow());
  }

  private static void pass(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Reply done(String errors, String output) {
    return new Reply.Done(3, UTF_8.encode(errors), UTF_8.encode(output));
  }

  private static String bytes(int... values) {
    return new String(values, 0, values.length);
  }

  private static ByteBuffer encoded(String request) {
    return ISO_8859_1.encode(request.replace("|", bytes(0)));
  }

  private SocketChannel connect() throws IOException {
    return SocketChannel.open(UnixDomainSocketAddress.of(socket));
  }

  /// All that is answered until the other side closes. A request is one that has come to its end.
  private String ask(String request) throws IOException {
    try (var client = connect()) {
      try {
        ByteBuffer bytes = encoded(request);
        while (bytes.hasRemaining()) {
          client.write(bytes);
        }
        client.shutdownOutput();
      } catch (IOException _) {
        // It may hang up before it has read all.
      }
      return rest(client);
    }
  }

  private static String rest(SocketChannel client) throws IOException {
    var all = new ByteArrayOutputStream();
    ByteBuffer piece = ByteBuffer.allocate(8192);
    try {
      while (client.read(piece) >= 0) {
        all.write(piece.array(), 0, piece.position());
        piece.clear();
      }
    } catch (IOException _) {
      // Reset by the other side, which had not read all.
    }
    return all.toString(ISO_8859_1);
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
