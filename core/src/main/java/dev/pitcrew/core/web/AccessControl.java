package dev.pitcrew.core.web;

import com.sun.net.httpserver.HttpsConfigurator;
import java.util.Map;
import java.util.Optional;

/// Who stands between a listening socket and its pages.
public interface AccessControl {
  /// Admits all clients, over plain HTTP.
  AccessControl OPEN = _ -> Optional.empty();

  /// What a request gets in place of its page; empty where it may pass.
  ///
  /// @param authorization the request's header; empty where it has none
  Optional<Answer> refuse(String authorization);

  /// How connections are encrypted, from the first to the last; empty for plain HTTP.
  default Optional<HttpsConfigurator> encryption() {
    return Optional.empty();
  }

  /// Headers of every answer.
  default Map<String, String> headers() {
    return Map.of();
  }
}
