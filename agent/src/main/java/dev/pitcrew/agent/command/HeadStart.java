package dev.pitcrew.agent.command;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.AgentDocument;

/// What takes an agent long when it does it for the first time and what it needs at each start,
/// begun while one processor is still idle.
final class HeadStart {
  private static final String DOCUMENT =
      "{\"apiVersion\": \"" + AgentDocument.API_VERSION + "\", \"clusterPolicy\": {}}";

  private HeadStart() {}

  /// Returns at once. Nothing waits for it, and it changes nothing but how soon the operator's
  /// document is read.
  static void begin(String... arguments) {
    if (arguments.length > 0 && arguments[0].equals(AgentArguments.COMMAND)) {
      Thread.ofPlatform()
          .name("head-start")
          .daemon()
          .start(() -> ApiJson.read(DOCUMENT, AgentDocument.class));
    }
  }
}
