package dev.pitcrew.agent.process;

import dev.pitcrew.api.node.NodeCondition;
import java.io.IOException;

/// Something that keeps a node from running GPU pods, brought about on purpose.
///
/// @param reason as conditions and Events name it
/// @param type of the condition that names it
/// @param how it is brought about, for people
record Injection(String reason, NodeCondition type, String how, Step cause, Step remedy) {

  interface Step {
    void run() throws IOException;
  }
}
