package dev.pitcrew.agent.metrics.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.metrics.web.WebConfigFile.Opened;
import dev.pitcrew.core.web.Answer;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.core.web.HttpEndpoint;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Many requests with passwords, while each comparison with a hash takes as long as the test wants.
class PasswordLoadTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int REQUESTS = 24;

  /// The one that is compared, and those that wait.
  private static final int TAKEN = 1 + Passwords.MOST_WAITING;

  private static final String CONFIG =
      "basic_auth_users: {alice: '$2b$04$Rcf1kH15Jk8lKVVl4NYdsuxA3Djtr4Q4s0KkUf7LkEIuNZhg.hYH2'}\n";

  private final CountDownLatch released = new CountDownLatch(1);

  /// Passwords that were compared, in their order.
  private final ConcurrentLinkedQueue<String> compared = new ConcurrentLinkedQueue<>();

  private final ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir Path folder;
  private Optional<HttpEndpoint> endpoint = Optional.empty();

  @BeforeEach
  void serve() throws IOException {
    Path file = Files.writeString(folder.resolve("web.yml"), CONFIG);
    var opened =
        WebConfigFile.open(file.toString(), Path::of, _ -> {}, new Passwords(this::matches));
    assertThat(opened).isInstanceOf(Opened.Right.class);
    if (opened instanceof Opened.Right(var porter)) {
      var address = new BindAddress.Listen("127.0.0.1", 0);
      Map<String, Function<String, Answer>> pages =
          Map.of("/metrics", _ -> Answer.text(200, "page"));
      endpoint = Optional.of(HttpEndpoint.start(address, pages, porter));
    }
  }

  private boolean matches(String password, String hash) {
    compared.add(password);
    threads.add(Thread.currentThread());
    if (password.startsWith("slow")) {
      try {
        released.await();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
    return password.equals("secret");
  }

  @AfterEach
  void close() {
    released.countDown();
    endpoint.ifPresent(HttpEndpoint::close);
    http.close();
  }

  @Test
  void moreWrongPasswordsThanTheQueueHolds_areAnsweredWith429() {
    List<CompletableFuture<HttpResponse<String>>> requests =
        IntStream.range(0, REQUESTS).mapToObj(i -> get("alice:slow" + i)).toList();

    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(requests.stream().filter(CompletableFuture::isDone))
                .hasSize(REQUESTS - TAKEN));
    assertThat(requests.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join))
        .allSatisfy(response -> {
          assertThat(response.statusCode()).isEqualTo(429);
          assertThat(response.headers().firstValue("Retry-After")).contains("1");
        });
    assertThat(get("").join().statusCode()).as("without a password").isEqualTo(401);

    released.countDown();
    assertThat(requests.stream().map(it -> it.join().statusCode()).filter(it -> it == 401))
        .hasSize(TAKEN);
  }

  @Test
  void passwordsAreComparedOnOnePlatformThread() {
    assertThat(get("alice:one").join().statusCode()).isEqualTo(401);
    assertThat(get("alice:two").join().statusCode()).isEqualTo(401);
    assertThat(threads).hasSize(2).noneMatch(Thread::isVirtual);
    assertThat(threads.stream().distinct()).hasSize(1);
  }

  @Test
  void rightPasswordThatWasComparedOnce_isAcceptedWhileTheThreadIsBusy() {
    assertThat(get("alice:secret").join().body()).isEqualTo("page\n");
    var busy = get("alice:slow");
    await().atMost(LIMIT).until(() -> compared.contains("slow"));

    assertThat(get("alice:secret").join().body()).isEqualTo("page\n");
    assertThat(compared).containsExactly("secret", "slow");
    released.countDown();
    assertThat(busy.join().statusCode()).isEqualTo(401);
  }

  @Test
  void aWrongPasswordIsComparedOnce() {
    for (String user : List.of("alice:wrong", "alice:wrong", "bob:secret", "bob:secret")) {
      assertThat(get(user).join().statusCode()).as(user).isEqualTo(401);
    }
    assertThat(compared).containsExactly("wrong", "secret");
  }

  private CompletableFuture<HttpResponse<String>> get(String user) {
    var request =
        HttpRequest.newBuilder(
            URI.create(
                "http://127.0.0.1:%d/metrics"
                    .formatted(endpoint.orElseThrow().address().getPort())));
    if (!user.isEmpty()) {
      request.header(
          "Authorization",
          "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8)));
    }
    return http.sendAsync(request.build(), BodyHandlers.ofString());
  }
}
