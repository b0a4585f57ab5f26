package dev.pitcrew.testbed.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.node.NodeSupport.Available;
import dev.pitcrew.testbed.node.NodeSupport.Unavailable;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeSupportTest {
  @Test
  void aMachineThatCannotSaysAllThatIsMissing() {
    var support =
        new Unavailable(List.of("no runc (on Debian: apt-get install runc)", "no rights"));

    assertThat(support.isAvailable()).isFalse();
    assertThat(support.explanation())
        .isEqualTo(
            "this machine cannot run real nodes: "
                + "no runc (on Debian: apt-get install runc); no rights");
    assertThat(new Available().isAvailable()).isTrue();
  }

  @Test
  void aSpecificationKeepsTheOrderAndRefusesNamesThatKubernetesRefuses() {
    var spec =
        NodeSpec.named("gpu-1")
            .withMount(Path.of("/a"), "/b")
            .withMount(Path.of("/c"), "/d")
            .withDevice("/dev/nvidia0", 195, 0);

    assertThat(spec.mounts()).extracting(NodeSpec.Mount::target).containsExactly("/b", "/d");
    assertThatThrownBy(() -> NodeSpec.named("GPU_1")).isInstanceOf(TestbedException.class);
  }
}
