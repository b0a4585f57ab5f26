package dev.pitcrew.agent.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is known of the holders of a GPU where the kubelet cannot be asked.
class HoldingPodsTest {
  private static final Set<String> GPU = Set.of("GPU-1");

  @TempDir Path folder;

  @Test
  void aNodeWithoutKubeletHasNoPods() {
    assertThat(new HoldingPods(new HostRoot(folder)).of(GPU))
        .hasValueSatisfying(pods -> assertThat(pods).isEmpty());
  }

  @Test
  void aKubeletThatIsDownLeavesItOpen() throws IOException {
    Path socket = folder.resolve(KubeletPods.SOCKET.substring(1));
    Files.createDirectories(socket.getParent());
    try (var gone = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      gone.bind(UnixDomainSocketAddress.of(socket));
    }
    assertThat(new HoldingPods(new HostRoot(folder)).of(GPU)).isEmpty();
  }
}
