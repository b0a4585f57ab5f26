package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class DriverManagerFlagsTest {
  @Command(name = "driver-manager")
  static final class Manager {
    @Mixin DriverManagerFlags flags = new DriverManagerFlags();

    @Command(name = "uninstall_driver")
    void uninstallDriver() {}
  }

  private final Manager manager = new Manager();

  @Test
  void allFlagsOfEvictionsAreTakenTogether() {
    var parsed =
        new CommandLine(manager)
            .parseArgs(
                "--node-name=n1",
                "--drain-use-force",
                "--enable-auto-drain=false",
                "--enable-gpu-pod-eviction=false",
                "--drain-pod-selector-label",
                "app=train",
                "--drain-delete-emptydir-data",
                "uninstall_driver");

    assertThat(parsed.subcommand().commandSpec().name()).isEqualTo("uninstall_driver");
    assertThat(manager.flags.problem()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"=1, true", "=T, true", "'', true", "=0, false", "=f, false", "=, false"})
  void truthsAreReadAsGoReadsThem(String value, boolean isForced) {
    new CommandLine(manager).parseArgs("--node-name=n1", "--force-reinstall" + value);

    assertThat(manager.flags.options(Map.of()).asked().forces()).isEqualTo(isForced);
  }
}
