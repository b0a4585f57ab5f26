package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.math.BigInteger;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The agent's statement that it no longer uses the driver: the text of the file [#FILE] in the
/// folder [#FOLDER] of the node. The file exists only while the agent has NVML closed, on purpose
/// and completely; it is removed before NVML is opened again. A program that pauses operands waits
/// until the statement [#answers] its own change of the Node.
///
/// @param apiVersion [#API_VERSION]; a reader does not believe a file of another version
/// @param node the name of the Node
/// @param bootId of the kernel that was running; a word from before a reboot says nothing
/// @param resourceVersion of the newest Node that the agent had seen; empty while no label of it
///   pauses anything
/// @param paused the labels of that Node that pause an operand, with their values
public record DriverRelease(
    @JsonProperty(required = true) String apiVersion,
    String node,
    String bootId,
    String resourceVersion,
    Map<String, String> paused,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {
  public static final String FOLDER = "/run/nvidia/validations";
  public static final String FILE = "pitcrew-driver-released";
  public static final String API_VERSION = "pitcrew.dev/v1alpha1";

  public DriverRelease {
    node = Objects.requireNonNullElse(node, "");
    bootId = Objects.requireNonNullElse(bootId, "");
    resourceVersion = Objects.requireNonNullElse(resourceVersion, "");
    paused = Absent.orMap(paused);
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether this is the word of an agent that has seen a Node and of the kernel that runs now.
  /// Versions of one object can be compared as numbers (KEP-5504), so no earlier pause is taken for
  /// this one.
  ///
  /// @param version the `resourceVersion` that the API server gave back for the change
  public boolean answers(String version, String bootIdNow) {
    return apiVersion.equals(API_VERSION)
        && isOf(bootIdNow)
        && number(version)
            .flatMap(asked -> number(resourceVersion).map(seen -> seen.compareTo(asked) >= 0))
            .orElse(false);
  }

  /// Whether the kernel that was running then is the one with this id.
  public boolean isOf(String bootIdNow) {
    return !bootIdNow.isEmpty() && bootId.equals(bootIdNow);
  }

  private static Optional<BigInteger> number(String version) {
    return Optional.of(version).filter(it -> it.matches("[0-9]{1,40}")).map(BigInteger::new);
  }
}
