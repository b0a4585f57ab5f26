package dev.pitcrew.image;

import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.FreePorts;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.CommandRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The registry of the distribution project, on loopback, with a folder for its contents.
record LocalRegistry(Process process, int port, Path crane) implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  static LocalRegistry start(Path folder) throws IOException {
    var programs = Binaries.standard(line -> System.err.println("registry: " + line));
    var port = FreePorts.one();
    var settings =
        Files.writeString(
            folder.resolve("registry.yml"),
            """
            version: 0.1
            log: {level: warn}
            storage: {filesystem: {rootdirectory: %s}}
            http: {addr: "127.0.0.1:%d"}
            """
                .formatted(folder.resolve("contents"), port));
    var process =
        new ProcessBuilder(
                programs.resolve(Binary.REGISTRY).toString(), "serve", settings.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("registry.log").toFile())
            .start();
    var registry = new LocalRegistry(process, port, programs.resolve(Binary.CRANE));
    await().atMost(LIMIT).until(registry::answers);
    return registry;
  }

  String host() {
    return "127.0.0.1:" + port;
  }

  /// What crane answers.
  String ask(String... words) {
    var command = new ArrayList<>(List.of(crane.toString()));
    command.addAll(List.of(words));
    var run = CommandRun.of(command, Path.of("").toAbsolutePath());
    if (!run.succeeded()) {
      throw new AssertionError(run.output());
    }
    return run.output();
  }

  /// The bytes of a part, by `repository@digest`.
  byte[] blob(String repository, String digest) throws IOException, InterruptedException {
    var address = URI.create("http://%s/v2/%s/blobs/%s".formatted(host(), repository, digest));
    try (var client = HttpClient.newHttpClient()) {
      return client
          .send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofByteArray())
          .body();
    }
  }

  private boolean answers() {
    var address = URI.create("http://%s/v2/".formatted(host()));
    try (var client = HttpClient.newHttpClient()) {
      return client
              .send(HttpRequest.newBuilder(address).build(), BodyHandlers.discarding())
              .statusCode()
          == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException(e));
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
