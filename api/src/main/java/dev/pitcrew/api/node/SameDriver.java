package dev.pitcrew.api.node;

import java.util.Optional;
import java.util.regex.Pattern;

/// The operator's word to the agent of a node that two digests are of one driver: those of a
/// ClusterPolicy and of an NVIDIADriver differ for the same driver. Its text, the annotation
/// [#ANNOTATION] of the Node, is `INSTALLED=WANTED`.
///
/// @param installed what the driver's container has noted on the node
/// @param wanted what a pod that comes after it looks for there
public record SameDriver(String installed, String wanted) {
  public static final String ANNOTATION = "pitcrew.dev/same-driver-digests";

  private static final String DIGEST = "([0-9a-f]{1,64})";
  private static final Pattern TEXT = Pattern.compile(DIGEST + "=" + DIGEST);

  /// Empty where they are the same digest, or one of them is none.
  public static Optional<SameDriver> of(String installed, String wanted) {
    return read(installed + "=" + wanted);
  }

  /// Empty for a text that says nothing of the kind.
  public static Optional<SameDriver> read(String text) {
    return Optional.of(TEXT.matcher(text))
        .filter(it -> it.matches())
        .map(it -> new SameDriver(it.group(1), it.group(2)))
        .filter(it -> !it.installed.equals(it.wanted));
  }

  public String text() {
    return installed + "=" + wanted;
  }
}
