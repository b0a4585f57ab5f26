package dev.pitcrew.agent.realnode;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.image.BuiltImage;
import dev.pitcrew.testbed.node.NodeSpec;
import dev.pitcrew.testbed.node.RealNode;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Starts `pitcrew` as a process of a node: from the image, as production does, where the tests
/// have one; else from the class path of this JVM with the flags of production.
///
/// @param folder this process and the node see it under the same name
record JvmOnNode(Path folder, String classPath, Optional<BuiltImage> image) {
  private static final Path FLAGS = Path.of("src/main/jvm/agent.flags");
  private static final String PROGRAM = "agent";
  private static final String MAIN = "dev.pitcrew.agent.command.Main";

  static final String HOOK = "/usr/bin/pitcrew-cdi-hook";
  static final String MPS_SUPERVISOR = "/usr/bin/pitcrew-mps";

  /// @param environment more variables
  /// @param jvmFlags more flags for the JVM
  record Surroundings(Map<String, String> environment, List<String> jvmFlags) {
    static final Surroundings PLAIN = of(Map.of());

    static Surroundings of(Map<String, String> environment) {
      return new Surroundings(environment, List.of());
    }
  }

  /// @param folder empty
  static JvmOnNode in(Path folder) {
    try {
      Files.copy(FLAGS, folder.resolve(FLAGS.getFileName()));
      return new JvmOnNode(folder, ClassPathCopy.into(folder), BuiltImage.ofTests());
    } catch (IOException e) {
      throw new UncheckedIOException("copy the class path to " + folder, e);
    }
  }

  /// What a node needs for it.
  NodeSpec on(NodeSpec spec) {
    NodeSpec withProgram =
        image
            .map(BuiltImage::rootfs)
            .map(rootfs -> spec.withMount(rootfs, rootfs.toString()))
            .orElse(spec);
    return withProgram
        .withMount(folder, folder.toString())
        .withMount(built("hook/pitcrew-cdi-hook"), HOOK)
        .withMount(built("pitcrew-mps"), MPS_SUPERVISOR);
  }

  private static Path built(String program) {
    return Path.of("../native/build").resolve(program).toAbsolutePath().normalize();
  }

  /// The command that starts the program.
  List<String> command() {
    return command(Surroundings.PLAIN);
  }

  private List<String> command(Surroundings surroundings) {
    return image
        .map(built -> commandOf(built, surroundings))
        .orElseGet(() -> commandOfClassPath(surroundings));
  }

  private static List<String> commandOf(BuiltImage image, Surroundings surroundings) {
    var command = new ArrayList<String>();
    command.add(image.java().toString());
    command.add("@" + image.flags(PROGRAM));
    command.addAll(image.cacheFlag(PROGRAM));
    command.addAll(surroundings.jvmFlags());
    command.addAll(List.of("-cp", image.classPath(PROGRAM), MAIN));
    return command;
  }

  private List<String> commandOfClassPath(Surroundings surroundings) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@" + folder.resolve(FLAGS.getFileName()));
    command.addAll(surroundings.jvmFlags());
    command.addAll(List.of("-cp", classPath, MAIN));
    return command;
  }

  /// What the class path of the program consists of.
  URL[] classPathUrls() {
    String inUse = image.map(built -> built.classPath(PROGRAM)).orElse(classPath);
    return Stream.of(inUse.split(File.pathSeparator, -1))
        .map(Path::of)
        .map(JvmOnNode::url)
        .toArray(URL[]::new);
  }

  private static URL url(Path file) {
    try {
      return file.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(file.toString(), e);
    }
  }

  /// @param name of its log
  /// @param arguments the command and its flags
  GuardedProcess start(
      RealNode node, String name, Surroundings surroundings, List<String> arguments) {
    var command = new ArrayList<>(List.of("env"));
    surroundings.environment().forEach((key, value) -> command.add(key + "=" + value));
    command.addAll(command(surroundings));
    command.addAll(arguments);
    return node.start(name, command.toArray(String[]::new));
  }
}
