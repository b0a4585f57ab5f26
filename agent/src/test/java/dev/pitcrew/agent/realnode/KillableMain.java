package dev.pitcrew.agent.realnode;

import com.sun.tools.attach.VirtualMachine;
import dev.pitcrew.agent.command.Main;
import java.nio.file.Path;

/// The agent under a [KillSwitch].
public final class KillableMain {
  /// The folder of the switch.
  static final String SWITCH = "pitcrew.kill-switch";

  private KillableMain() {}

  public static void main(String[] arguments) throws Exception {
    var killSwitch = new KillSwitch(Path.of(System.getProperty(SWITCH)));
    VirtualMachine self = VirtualMachine.attach(String.valueOf(ProcessHandle.current().pid()));
    self.loadAgent(killSwitch.jar().toString(), killSwitch.folder().toString());
    self.detach();
    Main.main(arguments);
  }
}
