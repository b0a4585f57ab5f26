package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.gpu.DigestMigration;
import dev.pitcrew.agent.watch.ClusterState;
import dev.pitcrew.api.node.SameDriver;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What becomes of the digest that a driver's container has left, on real files.
class DigestMigrationTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path host;
  private Path file;

  @BeforeEach
  void install() throws IOException {
    file = Files.createDirectories(host.resolve("run/nvidia")).resolve("nvidia-driver.state");
    Files.writeString(file, "1735021\n");
  }

  @Test
  void theDriverThatRunsGetsTheDigestThatIsWanted() throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

    act(node("1735021=99"));
    act(node("1735021=99"));

    assertThat(file).hasContent("99\n");
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(file.getParent())
        .isDirectoryContaining(file::equals)
        .isDirectoryNotContaining("glob:**/.*");
  }

  @Test
  void draftOfAKilledAgent_isReplaced() throws IOException {
    Path draft = Files.writeString(file.resolveSibling(".nvidia-driver.state.draft"), "9");

    act(node("1735021=99"));

    assertThat(file).hasContent("99\n");
    assertThat(draft).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "99",
        "17350=99",
        "735021=99",
        "17350210=99",
        "1735021=",
        "1735021=99=7",
        "1735021=../../etc/passwd",
        "1735021=99\n",
        " 1735021=99",
        "1735021=XYZ"
      })
  void anotherDriversDigestStaysAndSoItDoesForAWordThatIsNone(String annotation)
      throws IOException {
    var before = Files.readAttributes(file, "unix:ino");

    act(node(annotation));

    assertThat(file).hasContent("1735021\n");
    assertThat(Files.readAttributes(file, "unix:ino")).isEqualTo(before);
  }

  @Test
  void aDriverThatIsAClusterPolicysAgainKeepsItsDigest() {
    ObjectNode node = node("1735021=99");
    node.withObject("/metadata/labels").remove(NodeLabels.DRIVER_OWNER);

    act(node);

    assertThat(file).hasContent("1735021\n");
  }

  @Test
  void aDriverThatIsNotInstalledGetsNoDigest() throws IOException {
    Files.delete(file);

    act(node("1735021=99"));

    assertThat(file.getParent()).isEmptyDirectory();
  }

  private void act(JsonNode node) {
    var cluster = ClusterState.NOTHING.withNode(new WatchedObject.Present(node));
    Projections.digest(NodeState.UNKNOWN.with(cluster))
        .ifPresent(new DigestMigration(new HostRoot(host))::reconcile);
  }

  private static ObjectNode node(String annotation) {
    ObjectNode node = JSON.createObjectNode();
    ObjectNode metadata = node.putObject("metadata").put("name", "node-a");
    metadata.putObject("labels").put(NodeLabels.DRIVER_OWNER, "training");
    metadata.putObject("annotations").put(SameDriver.ANNOTATION, annotation);
    return node;
  }
}
