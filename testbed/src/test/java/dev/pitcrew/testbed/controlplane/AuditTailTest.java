package dev.pitcrew.testbed.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditTailTest {
  @TempDir private Path folder;
  private Path log;
  private AuditTail tail;

  @BeforeEach
  void start() throws IOException {
    log = Files.createFile(folder.resolve("audit.log"));
    tail = new AuditTail(new AuditLog(log), "us");
  }

  @Test
  void onlyTheRequestsOfTheUserAreReadEachOnce() throws IOException {
    append(event("1", "us", "get") + event("2", "them", "get") + event("1", "us", "get"));
    assertThat(tail.requests()).extracting(Request::verb).containsExactly("get");
    append(event("3", "us", "patch"));
    assertThat(tail.requests()).extracting(Request::verb).containsExactly("get", "patch");
  }

  @Test
  void aLineThatIsNotWrittenToItsEndIsReadLater() throws IOException {
    var event = event("1", "us", "get");
    append(event.substring(0, 40));
    assertThat(tail.requests()).isEmpty();
    append(event.substring(40));
    assertThat(tail.requests()).hasSize(1);
  }

  @Test
  void aLogLargerThanOneBlockIsReadToItsEnd() throws IOException {
    var filler = event("0", "them", "get").repeat(10_000);
    append(event("1", "us", "get") + filler + event("2", "us", "patch"));
    assertThat(tail.requests()).hasSize(2);
  }

  private void append(String text) throws IOException {
    Files.writeString(log, text, StandardOpenOption.APPEND);
  }

  private static String event(String id, String user, String verb) {
    return """
    {"auditID":"%s","verb":"%s","user":{"username":"%s"},"objectRef":{"resource":"nodes"},\
    "requestReceivedTimestamp":"2026-01-01T00:00:00Z","stageTimestamp":"2026-01-01T00:00:01Z"}
    """
        .formatted(id, verb, user);
  }
}
