package dev.pitcrew.testbed.controlplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pitcrew.testbed.TestbedException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/// The past revisions that an etcd remembers, by its JSON gateway.
record EtcdHistory(String address) {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int HTTP_OK = 200;

  /// The smallest key, in base64: every answer names the present revision, whatever is asked.
  private static final String ANY_KEY = "{\"key\": \"AA==\"}";

  /// Forgets all revisions before the present one.
  void forget() {
    try (var http = HttpClient.newHttpClient()) {
      var present = ask(http, "range", ANY_KEY).at("/header/revision").asText();
      ask(http, "compaction", "{\"revision\": \"%s\"}".formatted(present));
    } catch (IOException e) {
      throw new TestbedException("compact the etcd at " + address, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestbedException("interrupted while etcd was compacted", e);
    }
  }

  private JsonNode ask(HttpClient http, String call, String body)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create(address + "/v3/kv/" + call))
            .timeout(LIMIT)
            .POST(BodyPublishers.ofString(body))
            .build();
    var response = http.send(request, BodyHandlers.ofString());
    if (response.statusCode() != HTTP_OK) {
      throw new IOException(call + ": HTTP " + response.statusCode() + ": " + response.body());
    }
    return JSON.readTree(response.body());
  }
}
