package dev.pitcrew.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.transport.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// `kubectl gpu console`, started by its launcher on a free port.
final class RunningConsole implements AutoCloseable {
  private final HttpClient client = HttpClient.newHttpClient();
  private final Process process;
  private final String address;

  /// @param builder with the arguments of `console`, without a port
  RunningConsole(ProcessBuilder builder) {
    builder.command().addAll(List.of("--no-open", "--port", "0"));
    try {
      process = builder.redirectErrorStream(true).start();
      String line =
          new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)).readLine();
      assertThat(line).startsWith("http://localhost:");
      address = line.substring(0, line.indexOf(' '));
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /// Ends with `/`.
  String address() {
    return address;
  }

  ProcessHandle process() {
    return process.toHandle();
  }

  Json api(String view) {
    HttpResponse<String> answer = send("GET", "api/v1/" + view);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return Objects.json(answer.body());
  }

  /// @param headers names and values in turn
  HttpResponse<String> send(String method, String path, String... headers) {
    var request =
        HttpRequest.newBuilder(URI.create(address + path))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted");
    }
  }

  /// As `kill` does.
  void end() {
    process.destroy();
    try {
      assertThat(process.waitFor(PluginCluster.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    end();
  }
}
