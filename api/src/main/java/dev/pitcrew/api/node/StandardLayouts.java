package dev.pitcrew.api.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;

/// The MIG layouts of the boards that NVIDIA documents, as a configuration file of version v1: the
/// default ConfigMap of the MIG manager, and what the agent takes from it where a driver does not
/// list the profiles of a board.
public final class StandardLayouts {
  private static final String FILE = "/mig/standard-layouts.yaml";

  private StandardLayouts() {}

  public static String yaml() {
    try (var stream = StandardLayouts.class.getResourceAsStream(FILE)) {
      if (stream == null) {
        throw new IllegalStateException(FILE + " is missing from the class path");
      }
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException broken) {
      throw new UncheckedIOException("read " + FILE, broken);
    }
  }
}
