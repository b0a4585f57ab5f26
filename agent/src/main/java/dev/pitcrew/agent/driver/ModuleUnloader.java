package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.runtime.HostShell;
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

  /// A program that is called with the module's name. For a simulated node, whose modules are no
  /// modules of the kernel.
  static ModuleUnloader byProgram(String program) {
    Duration limit = Duration.ofSeconds(30);
    return module -> {
      var said = HostShell.run(limit, new ProcessBuilder(List.of(program, module)));
      return said.isGood() ? new Answer.Gone() : new Answer.InUse(said.lastWords());
    };
  }
}
