package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ClusterReading;
import dev.pitcrew.cli.cluster.Reflector;
import dev.pitcrew.cli.console.ConsoleModel;
import dev.pitcrew.cli.console.ConsoleServer;
import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "console",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Shows the GPUs of the cluster in a browser on this machine, until Ctrl-C.",
      "It reads with the rights of your kubeconfig, and can change nothing."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu console",
      "  kubectl gpu console --port 9000 --no-open --context prod"
    })
final class ConsoleCommand extends ClusterCommand {
  private static final int HIGHEST_PORT = 65_535;

  /// A list of 500 GPUNodes over a slow link.
  private static final Duration LEAST_OF_LISTS = Duration.ofSeconds(30);

  @Option(
      names = "--port",
      paramLabel = "<port>",
      defaultValue = "8686",
      description = "Port of 127.0.0.1, 0 for any that is free (default: ${DEFAULT-VALUE}).")
  int port;

  @Option(names = "--no-open", description = "Print the address, and open no browser.")
  boolean noOpen;

  ConsoleCommand(Session session) {
    super(session);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (port < 0 || port > HIGHEST_PORT) {
      throw Names.wrong(
          "--port %d is no port: give a number from 0 to %d".formatted(port, HIGHEST_PORT));
    }
    var reading = cluster();
    reading.requireGpuNodes();
    String address = serve(reading);
    session.out().printf("%s  (Ctrl-C ends it)%n", address);
    session.out().flush();
    if (!noOpen) {
      open(address);
    }
    new CountDownLatch(1).await();
    return ExitCodes.OK;
  }

  /// Not even its signature names classes of the console: picocli reads it for every command.
  private String serve(ClusterReading reading) {
    var model =
        new ConsoleModel(
            new ConsoleModel.Connection(
                reading,
                connection.kubectl(session, LEAST_OF_LISTS),
                connection.unlimited(session)),
            Reflector.Pauses.USUAL,
            session.clock());
    try {
      String address = ConsoleServer.start(port, model).address();
      Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(model::close));
      model.start();
      return address;
    } catch (BindException taken) {
      throw Names.wrong(
          "port %d of 127.0.0.1 cannot be had (%s): end the program that has it, or choose another port, such as --port %d, or --port 0 for any that is free"
              .formatted(port, taken.getMessage(), port < HIGHEST_PORT ? port + 1 : port - 1));
    } catch (IOException failed) {
      throw Names.wrong("port %d of 127.0.0.1: %s".formatted(port, failed.getMessage()));
    }
  }

  /// Where there is a desktop. That there is none, or no browser, is no error: the address is
  /// printed.
  private void open(String address) {
    boolean isMac = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("mac");
    boolean isDesktop =
        session.environment().containsKey("DISPLAY")
            || session.environment().containsKey("WAYLAND_DISPLAY");
    if (!isMac && !isDesktop) {
      return;
    }
    try {
      var _ =
          new ProcessBuilder(List.of(isMac ? "open" : "xdg-open", address))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException _) {
      session.err().println("no browser could be started: open the address above");
    }
  }
}
