package dev.pitcrew.agent.command;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// SIGHUP, which would end the process like SIGTERM. The JDK offers only `sun.misc.Signal` for it,
/// which is called by name: compilers warn of it, and the warning cannot be suppressed.
final class HangUp {
  private static final Logger LOG = LoggerFactory.getLogger(HangUp.class);

  private HangUp() {}

  /// @param action on a thread of the JVM's, each time
  static void handle(Runnable action) {
    try {
      var signal = Class.forName("sun.misc.Signal");
      var handler = Class.forName("sun.misc.SignalHandler");
      var ours =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (_, method, _) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), ours);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      LOG.atWarn()
          .setCause(e)
          .log("SIGHUP is not handled: the configuration is read at start only");
    }
  }
}
