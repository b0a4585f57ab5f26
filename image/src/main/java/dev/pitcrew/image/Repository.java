package dev.pitcrew.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.image.BuiltImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// What a built checkout gives to the image.
public record Repository(Path root) {
  private static final YAMLMapper YAML = new YAMLMapper();

  /// The Java programs, by the name of their module.
  enum Program {
    OPERATOR,
    AGENT;

    String module() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// The name under which the chart asks for an image that is on the nodes and in no registry.
  public String imageName() {
    var image = yaml("charts/pitcrew/values.yaml").at("/pitcrew/image/image").asText();
    return "%s/%s:%s".formatted(BuiltImage.REPOSITORY, image, version());
  }

  public String version() {
    return yaml("charts/pitcrew/Chart.yaml").path("appVersion").asText();
  }

  /// The commit of the sources; nothing outside of a git checkout.
  public Optional<String> revision() {
    var head = git("rev-parse", "HEAD");
    if (!head.succeeded()) {
      return Optional.empty();
    }
    var isChanged = !git("status", "--porcelain").output().isBlank();
    return Optional.of(head.output().strip() + (isChanged ? "-changed" : ""));
  }

  /// The jars of a program, its own first.
  List<Path> jars(Program program) {
    return jars(program.module());
  }

  /// The jars of the kubectl plugin, its own first.
  List<Path> pluginJars() {
    return jars("cli");
  }

  List<String> pluginCoordinates() {
    return lines(existing("cli/target/lib.coordinates", "make build"));
  }

  Path pluginLauncher() {
    return existing("cli/kubectl-gpu", "git checkout cli");
  }

  /// Makes the AOT cache of a folder with the plugin.
  Path pluginTraining() {
    return existing("build/kubectl-gpu", "git checkout build");
  }

  private List<Path> jars(String module) {
    var target = root.resolve(module).resolve("target");
    var jars = new ArrayList<>(jarsIn(target));
    if (jars.size() != 1) {
      throw new ImageException(
          "%s holds %d jars instead of one: run 'make clean build'".formatted(target, jars.size()));
    }
    jars.addAll(jarsIn(target.resolve("lib")));
    return jars;
  }

  /// Lines `group:artifact:type:version:scope` of the jars of a program.
  List<String> coordinates(Program program) {
    return lines(existing(program.module() + "/target/lib.coordinates", "make build"));
  }

  Path flags(Program program) {
    var name = program.module();
    return existing(name + "/src/main/jvm/" + name + ".flags", "git checkout " + name);
  }

  Path gate() {
    return existing("native/build/pitcrew-gate", "make native");
  }

  Path cdiHook() {
    return existing("native/build/hook/pitcrew-cdi-hook", "make native");
  }

  Path mpsSupervisor() {
    return existing("native/build/pitcrew-mps", "make native");
  }

  Path chart() {
    return existing("charts/pitcrew", "git checkout charts");
  }

  Path licence() {
    return existing("LICENSE", "git checkout LICENSE");
  }

  /// The files that go into the image as they are.
  Path skeleton() {
    return existing("image/src/main/rootfs", "git checkout image");
  }

  /// The files that go into the bundle for nodes as they are.
  Path bundle() {
    return existing("image/src/main/bundle", "git checkout image");
  }

  Path realGpuCheck() {
    return existing("build/real-gpu-check", "git checkout build");
  }

  /// The simulator's programs and libraries.
  Path simulator() {
    return existing("native/build", "make native");
  }

  private Path existing(String path, String remedy) {
    var file = root.resolve(path);
    if (!Files.exists(file)) {
      throw new ImageException("%s is missing: run '%s'".formatted(file, remedy));
    }
    return file;
  }

  private List<Path> jarsIn(Path folder) {
    try (var files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    } catch (IOException e) {
      throw new ImageException("%s cannot be read: run 'make build' (%s)".formatted(folder, e));
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + file, e);
    }
  }

  private JsonNode yaml(String path) {
    try {
      return YAML.readTree(existing(path, "git checkout charts").toFile());
    } catch (IOException e) {
      throw new UncheckedIOException("read " + path, e);
    }
  }

  private CommandRun git(String verb, String argument) {
    return CommandRun.of(List.of("git", verb, argument), root);
  }
}
