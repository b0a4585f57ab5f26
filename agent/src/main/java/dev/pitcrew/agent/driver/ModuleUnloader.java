package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.hardware.linux.KernelModules;
import dev.pitcrew.hardware.linux.KernelModules.Answer;
import java.time.Duration;
import java.util.List;

/// Takes modules out of the kernel.
@FunctionalInterface
public interface ModuleUnloader {
  Answer unload(String module) throws InterruptedException;

  /// The kernel's own call.
  ModuleUnloader OF_KERNEL = KernelModules::unload;

  /// A command that gets the module's name as its last word. For a simulated node, whose modules
  /// are no modules of the kernel.
  ///
  /// @param command its words apart by blanks
  static ModuleUnloader byCommand(String command) {
    Duration limit = Duration.ofSeconds(30);
    return module -> {
      var words = List.of((command + " " + module).split(" ", -1));
      var said = HostShell.run(limit, new ProcessBuilder(words));
      return said.isGood() ? new Answer.Gone() : new Answer.InUse(said.lastOutput());
    };
  }
}
