package dev.pitcrew.agent.vfio;

import static dev.pitcrew.agent.vfio.FakePci.GPU;
import static dev.pitcrew.agent.vfio.FakePci.SOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Killed after any of its writes: the next run, to bind again, to unbind, or to install a driver,
/// gets what it requests.
class VfioKillTest {
  @TempDir private Path folder;

  /// What the next one does.
  private enum Next {
    BIND,
    UNBIND,
    /// As the driver manager does: it looks for those that were taken away.
    INSTALL
  }

  /// @param writes how many are made before the kill
  record Row(String killed, int writes, Next next) {
    @Override
    public String toString() {
      return "%s, killed after write %d; then %s".formatted(killed, writes, next);
    }
  }

  private static final class Killed extends RuntimeException {}

  @Test
  void theseAreTheWrites() throws Exception {
    var written = new ArrayList<String>();
    FakePci pci = bound(folder);
    VfioDevices recorded =
        pci.devices((file, text) -> {
          written.add(file.subpath(file.getNameCount() - 2, file.getNameCount()).toString());
          pci.written(file, text);
        });
    recorded.bind(List.of(GPU));
    assertThat(written)
        .containsExactly(
            GPU + "/driver_override",
            "nouveau/unbind",
            GPU + "/driver_override",
            "vfio-pci/bind",
            SOUND + "/driver_override",
            "vfio-pci/bind");
    written.clear();
    recorded.unbind(List.of(GPU));
    assertThat(written)
        .containsExactly(
            SOUND + "/driver_override",
            "vfio-pci/unbind",
            GPU + "/driver_override",
            "vfio-pci/unbind");
  }

  @ParameterizedTest
  @MethodSource
  void theNextOneGoesOn(Row row) throws Exception {
    FakePci pci = bound(folder);
    boolean isBind = row.killed().equals("bind");
    if (!isBind) {
      assertThat(pci.devices().bind(List.of(GPU))).isEmpty();
    }
    VfioDevices mortal = pci.devices(killedAfter(row.writes(), pci));
    assertThatThrownBy(
            () -> {
              if (isBind) {
                mortal.bind(List.of(GPU));
              } else {
                mortal.unbind(List.of(GPU));
              }
            })
        .isInstanceOf(Killed.class);

    VfioDevices next = pci.devices();
    assertThat(
            switch (row.next()) {
              case BIND -> next.bind(List.of(GPU));
              case UNBIND -> next.unbind(List.of(GPU));
              case INSTALL -> next.unbind(next.takenAway());
            })
        .isEmpty();

    for (String device : List.of(GPU, SOUND)) {
      String override = pci.read(FakePci.DEVICES + device + "/driver_override").strip();
      if (row.next() == Next.BIND) {
        assertThat(pci.driverOf(device)).as(device).contains("vfio-pci");
      } else {
        assertThat(pci.driverOf(device)).as(device).isEmpty();
        assertThat(override).as(device).isIn("", "(null)");
      }
    }
  }

  static Stream<Row> theNextOneGoesOn() {
    var rows = new ArrayList<Row>();
    for (Next next : Next.values()) {
      for (int writes = 1; writes <= 6; writes++) {
        rows.add(new Row("bind", writes, next));
      }
      for (int writes = 1; writes <= 4; writes++) {
        rows.add(new Row("unbind", writes, next));
      }
    }
    return rows.stream();
  }

  /// A display that nouveau has.
  private static FakePci bound(Path folder) throws IOException {
    FakePci pci = FakePci.create(folder);
    pci.display();
    pci.bindTo(GPU, "nouveau");
    return pci;
  }

  private static VfioDevices.SysfsFile killedAfter(int writes, FakePci pci) {
    int[] made = {0};
    return (file, text) -> {
      pci.written(file, text);
      made[0]++;
      if (made[0] == writes) {
        throw new Killed();
      }
    };
  }
}
