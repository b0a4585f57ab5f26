package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CoordinatesTest {
  @Test
  void mavensListSaysWhoseEachJarIs() {
    var all =
        Coordinates.byJar(
            List.of(
                "",
                "The following files have been resolved:",
                "   io.grpc:grpc-core:jar:1.85.1:runtime -- module io.grpc",
                "   com.example:tool:jar:linux-x86_64:2.0:compile"));

    assertThat(all.keySet()).containsExactly("grpc-core-1.85.1.jar", "tool-2.0-linux-x86_64.jar");
    assertThat(all.get("grpc-core-1.85.1.jar"))
        .extracting(Coordinates::packageUrl)
        .isEqualTo("pkg:maven/io.grpc/grpc-core@1.85.1");
  }
}
