package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// What the scheduler has allocated to a claim of the devices of one driver, and the settings that
/// come with it.
///
/// @param settings those of classes first, each in the order of the claim
public record ClaimAllocation(List<Result> results, List<Entry> settings) {
  public ClaimAllocation {
    results = List.copyOf(results);
    settings = List.copyOf(settings);
  }

  /// A device of the claim.
  ///
  /// @param request `main`, or `main/alternative` of a prioritized list
  /// @param shareId of the share of a device that several claims hold (KEP-5075)
  /// @param memory of the device that the share has, as a quantity
  public record Result(
      String request,
      String pool,
      String device,
      Optional<String> shareId,
      Optional<String> memory,
      boolean adminAccess) {
    public String mainRequest() {
      return main(request);
    }

    static String main(String request) {
      int slash = request.indexOf('/');
      return slash < 0 ? request : request.substring(0, slash);
    }
  }

  /// Settings of a class or of the claim.
  ///
  /// @param requests for which they are meant; none for all
  /// @param parameters empty where the entry is not opaque
  public record Entry(
      boolean isOfClass, List<String> requests, String driver, Optional<JsonNode> parameters) {
    boolean names(Result result) {
      return requests.contains(result.request()) || requests.contains(result.mainRequest());
    }

    /// For messages.
    String text() {
      String from = isOfClass ? "settings of the DeviceClass" : "settings of the claim";
      return requests.isEmpty() ? from : from + " for request " + String.join(", ", requests);
    }
  }

  public sealed interface Reading {
    record Allocated(ClaimAllocation allocation) implements Reading {}

    record Refused(String reason) implements Reading {}
  }

  /// @param driver of which devices are meant
  /// @param node the name of the node, which is the name of its pool
  public static Reading of(ClaimObject claim, String driver, String node) {
    JsonNode allocation = claim.status().path("allocation");
    if (!allocation.isObject()) {
      return new Reading.Refused("claim %s is not allocated".formatted(claim.text()));
    }
    List<Result> results = results(claim.status(), driver);
    if (results.isEmpty()) {
      return new Reading.Refused(
          "claim %s has no device of driver %s".formatted(claim.text(), driver));
    }
    Optional<Result> foreign =
        results.stream().filter(result -> !result.pool().equals(node)).findFirst();
    if (foreign.isPresent()) {
      return new Reading.Refused(
          "claim %s, request %s: device %s is of pool \"%s\"; this node serves pool \"%s\""
              .formatted(
                  claim.text(),
                  foreign.get().request(),
                  foreign.get().device(),
                  foreign.get().pool(),
                  node));
    }
    List<Entry> entries =
        elements(allocation.path("devices").path("config")).map(ClaimAllocation::entry).toList();
    return new Reading.Allocated(
        new ClaimAllocation(
            results,
            entries.stream().sorted(Comparator.comparing(entry -> !entry.isOfClass())).toList()));
  }

  /// Those of a driver, from the status of a claim.
  public static List<Result> results(JsonNode status, String driver) {
    return elements(status.path("allocation").path("devices").path("results"))
        .filter(result -> result.path("driver").asText().equals(driver))
        .map(ClaimAllocation::result)
        .toList();
  }

  private static Result result(JsonNode node) {
    return new Result(
        node.path("request").asText(),
        node.path("pool").asText(),
        node.path("device").asText(),
        Optional.of(node.path("shareID").asText()).filter(it -> !it.isEmpty()),
        Optional.of(node.path("consumedCapacity").path("memory").asText())
            .filter(it -> !it.isEmpty()),
        node.path("adminAccess").asBoolean(false));
  }

  private static Entry entry(JsonNode node) {
    JsonNode opaque = node.path("opaque");
    return new Entry(
        node.path("source").asText().equals("FromClass"),
        elements(node.path("requests")).map(JsonNode::asText).toList(),
        opaque.path("driver").asText(),
        opaque.isObject() ? Optional.of(opaque.path("parameters")) : Optional.empty());
  }

  private static Stream<JsonNode> elements(JsonNode array) {
    return array.isArray() ? StreamSupport.stream(array.spliterator(), false) : Stream.empty();
  }
}
