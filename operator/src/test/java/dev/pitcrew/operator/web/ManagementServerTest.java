package dev.pitcrew.operator.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.core.web.ReadinessCheck;
import dev.pitcrew.operator.metrics.OperatorMetrics;
import dev.pitcrew.testbed.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManagementServerTest {
  private static final String LOOPBACK = "127.0.0.1:0";

  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicReference<Optional<String>> problem =
      new AtomicReference<>(Optional.of("waiting for Node, DaemonSet"));
  private final ManagementServer server =
      start(
          LOOPBACK,
          LOOPBACK,
          List.of(
              new ReadinessCheck("caches", problem::get),
              new ReadinessCheck("client", Optional::empty)));

  @AfterEach
  void close() {
    server.close();
    client.close();
  }

  @Test
  void metricsAreServedAsTextAndAsOpenMetrics() throws Exception {
    var text = get(metrics(), "/metrics", "*/*");
    assertThat(text.statusCode()).isEqualTo(200);
    assertThat(text.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("text/plain; version=0.0.4");
    assertThat(text.body()).contains("gpu_operator_gpu_nodes_total 0.0");

    var open =
        get(metrics(), "/metrics", "application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1");
    assertThat(open.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("application/openmetrics-text");
    assertThat(open.body()).endsWith("# EOF\n");
  }

  @Test
  void readinessNamesWhatIsMissingUntilItIsThere() throws Exception {
    var early = get(health(), "/readyz", "*/*");
    assertThat(early.statusCode()).isEqualTo(503);
    assertThat(early.body()).isEqualTo("not ready\ncaches: waiting for Node, DaemonSet\n");

    problem.set(Optional.empty());
    var ready = get(health(), "/readyz", "*/*");
    assertThat(ready.statusCode()).isEqualTo(200);
    assertThat(ready.body()).isEqualTo("ok\n");
  }

  @Test
  void livenessDoesNotDependOnReadiness() throws Exception {
    assertThat(get(health(), "/healthz", "*/*").statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/metrics/x", "/healthz/", "/metrics"})
  void onlyTheNamedPagesExist(String path) throws Exception {
    assertThat(get(health(), path, "*/*").statusCode()).isEqualTo(404);
  }

  @Test
  void nothingCanBeWritten() throws Exception {
    var post =
        HttpRequest.newBuilder(uri(health(), "/healthz"))
            .POST(BodyPublishers.ofString("x"))
            .build();
    assertThat(client.send(post, BodyHandlers.ofString()).statusCode()).isEqualTo(405);

    var head = HttpRequest.newBuilder(uri(health(), "/healthz")).HEAD().build();
    assertThat(client.send(head, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
  }

  @Test
  void checkThatThrowsIsAnErrorOfOursAndNotReady() throws Exception {
    ReadinessCheck broken =
        new ReadinessCheck(
            "broken",
            () -> {
              throw new IllegalStateException("bug");
            });
    try (var other = start("0", LOOPBACK, List.of(broken))) {
      assertThat(get(other.healthAddress().orElseThrow(), "/readyz", "*/*").statusCode())
          .isEqualTo(500);
    }
  }

  @Test
  void addressesThatAreOffAreNotServed() {
    try (var off = start("0", "0", List.of())) {
      assertThat(off.metricsAddress()).isEmpty();
      assertThat(off.healthAddress()).isEmpty();
    }
  }

  @Test
  void addressInUse_isNamed_andTheOtherIsReleased() throws Exception {
    int freePort = FreePorts.one();
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(
              () -> start("127.0.0.1:" + freePort, "127.0.0.1:" + taken.getLocalPort(), List.of()))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessage("listening on 127.0.0.1:" + taken.getLocalPort());
    }
    assertThat(canListen(freePort)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    ":8080, '', 8080",
    "127.0.0.1:0, 127.0.0.1, 0",
    "[::1]:81, [::1], 81",
    "localhost:9, localhost, 9"
  })
  void addressesAreHostAndPort(String text, String host, int port) {
    assertThat(BindAddress.parse(text)).isEqualTo(new BindAddress.Listen(host, port));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "8080", ":65536", ":-1", ":http", "::1:80", "a b:80", "http://x:80"})
  void otherAddressesAreRefusedByName(String text) {
    assertThatThrownBy(() -> BindAddress.parse(text))
        .hasMessage(
            "\"" + text + "\" is no address to listen on; give host:port, :port or 0 for off");
  }

  private static ManagementServer start(
      String metrics, String health, List<ReadinessCheck> checks) {
    var addresses = new ManagementAddresses(BindAddress.parse(metrics), BindAddress.parse(health));
    return ManagementServer.start(addresses, new OperatorMetrics(), checks);
  }

  private HttpResponse<String> get(InetSocketAddress address, String path, String accept)
      throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(uri(address, path)).header("Accept", accept).build();
    return client.send(request, BodyHandlers.ofString());
  }

  private static URI uri(InetSocketAddress address, String path) {
    return URI.create("http://127.0.0.1:" + address.getPort() + path);
  }

  private InetSocketAddress metrics() {
    return server.metricsAddress().orElseThrow();
  }

  private InetSocketAddress health() {
    return server.healthAddress().orElseThrow();
  }

  private static boolean canListen(int port) {
    try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
