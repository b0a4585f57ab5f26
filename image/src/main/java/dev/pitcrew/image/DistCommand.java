package dev.pitcrew.image;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.image.Image;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Puts everything that a release consists of into one folder; `make dist` runs it.
@Command(
    name = "dist",
    description = "Packs image, chart and kubectl plugin of a built checkout into target/dist.",
    mixinStandardHelpOptions = true)
public final class DistCommand implements Callable<Integer> {
  /// With the processor in its name, as all files that differ by it: a release has those of
  /// several.
  private static final String SUMS = "SHA256SUMS-linux-" + Image.architecture();

  private final PrintStream out;
  private final PrintStream err;

  @Option(
      names = "--repository",
      defaultValue = ".",
      description = "The checkout (default: ${DEFAULT-VALUE}).")
  Path repository = Path.of(".");

  @Option(
      names = "--registry",
      description =
          "Where the image will be, such as registry.example.com/gpu; the chart names it.")
  Optional<String> registry = Optional.empty();

  @Option(
      names = "--url",
      description = "Where the files will be downloaded from; the manifest for krew names it.")
  Optional<String> url = Optional.empty();

  DistCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new DistCommand(System.out, System.err)).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    var checkout = new Repository(repository.toAbsolutePath().normalize());
    var target = checkout.root().resolve("target/dist");
    try {
      var host = registry.map(Registry::of).map(Registry::name);
      FileTree.delete(target);
      Files.createDirectories(target);
      new ChartPackage(checkout.chart(), host).writeInto(target);
      image(checkout, target);
      plugin(checkout, target);
      var files = sums(target);
      files.forEach(file -> out.println("dist: target/dist/" + file));
      return CommandLine.ExitCode.OK;
    } catch (ImageException | TestbedException | IllegalStateException e) {
      err.println("dist: " + e.getMessage());
      return CommandLine.ExitCode.SOFTWARE;
    }
  }

  /// What `make image` has built, and what it consists of.
  private void image(Repository checkout, Path target) throws IOException {
    var build = ImageBuild.of(checkout.root(), line -> err.println("dist: " + line));
    var archive = build.archive();
    var bill = new FileTree(build.rootfs()).at(Rootfs.BILL);
    if (!Files.exists(archive) || !Files.exists(bill)) {
      throw new ImageException("%s is missing: run 'make image'".formatted(archive));
    }
    copy(archive, target.resolve(archive.getFileName()));
    copy(bill, target.resolve(unpacked(archive) + ".cdx.json"));
  }

  private void plugin(Repository checkout, Path target) throws IOException {
    err.println("dist: packing the kubectl plugin (half a minute)");
    var stage = checkout.root().resolve("image/target/kubectl-gpu");
    var plugin = PluginArchive.stage(checkout, JavaRuntime.ofThisProcess(), stage);
    plugin.train(checkout);
    var archive = target.resolve(plugin.name() + ".tar.gz");
    new GzipArchive(archive).write(plugin.layer());
    Files.write(target.resolve(plugin.name() + ".cdx.json"), plugin.billOfMaterials());
    var address =
        url.map(folder -> folder + "/" + archive.getFileName())
            .orElse(String.valueOf(archive.getFileName()));
    var manifest =
        KrewManifest.of(checkout.version(), Image.architecture(), address, archive).yaml();
    Files.writeString(
        target.resolve("gpu-linux-%s.yaml".formatted(Image.architecture())), manifest);
  }

  /// In the form of `sha256sum --check`; returns the names of all files.
  private static List<String> sums(Path target) throws IOException {
    var lines = new StringBuilder();
    var names = new ArrayList<String>();
    try (var files = Files.list(target)) {
      for (var file : files.sorted().toList()) {
        names.add(String.valueOf(file.getFileName()));
        lines.append(Sbom.sha256(file)).append("  ").append(file.getFileName()).append('\n');
      }
    }
    Files.writeString(target.resolve(SUMS), lines);
    names.add(SUMS);
    return names;
  }

  private static String unpacked(Path archive) {
    return archive.getFileName().toString().replaceFirst("\\.tar$", "");
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
  }
}
