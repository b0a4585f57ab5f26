package dev.pitcrew.testrunner;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// A JVM with the class path of a module in which [TestWorker] runs test classes.
final class TestProcess implements AutoCloseable {
  private static final Duration END = Duration.ofSeconds(60);

  /// How the JVMs of tests are started.
  ///
  /// @param flags of the JVM
  /// @param excludedTags of the tests that are left out
  record Options(List<String> flags, List<String> excludedTags) {}

  private final TestModule module;
  private final Process process;
  private final Path log;
  private final SocketChannel channel;
  private final DataOutputStream names;
  private final DataInputStream results;

  private TestProcess(TestModule module, Process process, Path log, SocketChannel channel) {
    this.module = module;
    this.process = process;
    this.log = log;
    this.channel = channel;
    names = new DataOutputStream(Channels.newOutputStream(channel));
    results = new DataInputStream(Channels.newInputStream(channel));
  }

  /// @param name distinguishes the log from those of other JVMs of the module
  static TestProcess start(TestModule module, String name, Options options) throws IOException {
    Files.createDirectories(module.logs());
    var log = module.logs().resolve(name + ".log");
    var folder = Files.createTempDirectory("pitcrew-tests-");
    var socket = folder.resolve("socket");
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      var process =
          new ProcessBuilder(command(module, name, socket, options))
              .directory(module.folder().toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      process.getOutputStream().close();
      // accept() has no deadline; closing the server ends it where the JVM does not start.
      var _ = process.onExit().thenRun(() -> close(server));
      return new TestProcess(module, process, log, server.accept());
    } catch (IOException e) {
      throw new IOException(
          "the JVM of the tests of %s does not start, see %s".formatted(module.name(), log), e);
    } finally {
      Files.deleteIfExists(socket);
      Files.deleteIfExists(folder);
    }
  }

  private static void close(ServerSocketChannel server) {
    try {
      server.close();
    } catch (IOException _) {
      // It listens to nothing any more either way.
    }
  }

  private static List<String> command(
      TestModule module, String name, Path socket, Options options) {
    var words = new ArrayList<String>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(options.flags());
    words.add("-Dtest.fork=" + name);
    words.addAll(List.of("-cp", module.classPath(ownClassPath())));
    words.add(TestWorker.class.getName());
    words.add(socket.toString());
    words.addAll(options.excludedTags());
    return words;
  }

  private static String ownClassPath() {
    var paths = System.getProperty("java.class.path").split(File.pathSeparator, -1);
    return List.of(paths).stream()
        .map(path -> Path.of(path).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  TestModule module() {
    return module;
  }

  long pid() {
    return process.pid();
  }

  Path log() {
    return log;
  }

  /// Runs a class to its end.
  ///
  /// @throws IOException if the JVM ends before
  ClassResult run(String className) throws IOException {
    names.writeUTF(className);
    names.flush();
    return ClassResult.readFrom(results);
  }

  /// Makes the JVM write the stacks of its threads into the log, and ends it.
  void abort() {
    try {
      new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start().waitFor();
      process.waitFor(2, TimeUnit.SECONDS);
    } catch (IOException _) {
      // The JVM ends without the stacks.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    process.destroy();
  }

  /// Lets the JVM close what its tests share, and waits for that.
  @Override
  public void close() {
    try {
      channel.shutdownOutput();
      if (!process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      channel.close();
    } catch (IOException _) {
      process.destroyForcibly();
    } catch (InterruptedException _) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
  }
}
