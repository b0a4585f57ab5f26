package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.List;
import java.util.Optional;

/// A condition of an object.
///
/// @param status `True`, `False` or `Unknown`
/// @param since when the status last changed, as the API server writes it
public record Condition(String type, String status, String reason, String message, String since) {
  static List<Condition> all(Json conditions) {
    return conditions.items().stream()
        .map(it ->
            new Condition(
                it.at("type").text(),
                it.at("status").text(),
                it.at("reason").text(),
                it.at("message").text(),
                it.at("lastTransitionTime").text()))
        .toList();
  }

  public static Optional<Condition> find(List<Condition> conditions, String type) {
    return conditions.stream().filter(it -> it.type().equals(type)).findFirst();
  }

  public boolean isTrue() {
    return status.equals("True");
  }
}
