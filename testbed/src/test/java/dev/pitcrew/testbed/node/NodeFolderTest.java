package dev.pitcrew.testbed.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NodeFolderTest {
  @Test
  void aSettingTakesThePlaceOfItsDefault() {
    assertThat(
            NodeFolder.withSettings(
                "# A comment: kept.\nsyncFrequency: 5s\nnodeStatusUpdateFrequency: 2s\n",
                List.of("nodeStatusUpdateFrequency: 1s", "topologyManagerPolicy: none")))
        .isEqualTo(
            """
            # A comment: kept.
            syncFrequency: 5s
            nodeStatusUpdateFrequency: 1s
            topologyManagerPolicy: none
            """);
  }
}
