import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/// Measures the main Java sources of a checkout: size, use and dependence of files, methods,
/// classes and packages. `build/house [CHECKOUT]…` prints a table with a column for each checkout.
final class House {
  private static final Pattern WORD = Pattern.compile("\\b[A-Z]\\w*\\b");

  /// The folders that a newcomer opens for a concern: those with a class whose name or folder has
  /// one of the words.
  private static final Map<String, Pattern> CONCERNS =
      new TreeMap<>(
          Map.of(
              "MIG", Pattern.compile("(^|/)mig(/|$)|/Mig[A-Z]|/Divi(de|sion)|/.*Partition"),
              "labels", Pattern.compile("agent/.*([Ll]abel|(^|/)features(/|$))"),
              "driver upgrade", Pattern.compile("operator/.*([Uu]pgrade|[Rr]ollout)"),
              "GPU health", Pattern.compile("agent/.*(health|unhealthy|Health|Reset|Unhealthy)"),
              "driver", Pattern.compile("agent/.*((^|/)(driver|gpu)/|/\\w*Driver)")));

  private record Source(
      String module,
      String folder,
      String name,
      int lines,
      Set<String> imports,
      Set<String> words) {
    String packageName() {
      return folder.replace('/', '.');
    }
  }

  private record Measured(List<Source> sources, List<Integer> methods) {}

  private House() {}

  public static void main(String[] checkouts) throws IOException {
    List<String> roots = checkouts.length == 0 ? List.of(".") : Arrays.asList(checkouts);
    var rows = new java.util.LinkedHashMap<String, List<String>>();
    for (String root : roots) {
      rows(measure(Path.of(root)))
          .forEach((name, value) -> rows.computeIfAbsent(name, _ -> new ArrayList<>()).add(value));
    }
    System.out.println("| measure | " + String.join(" | ", roots) + " |");
    System.out.println("| --- |" + " ---: |".repeat(roots.size()));
    rows.forEach((name, values) ->
        System.out.println("| " + name + " | " + String.join(" | ", values) + " |"));
  }

  private static Measured measure(Path root) throws IOException {
    var sources = new ArrayList<Source>();
    var methods = new ArrayList<Integer>();
    try (var modules = Files.list(root)) {
      for (Path module :
          modules.filter(it -> Files.isDirectory(it.resolve("src/main/java"))).sorted().toList()) {
        Path base = module.resolve("src/main/java");
        try (var files = Files.walk(base)) {
          read(
              module.getFileName().toString(),
              base,
              files.filter(it -> it.toString().endsWith(".java")).toList(),
              sources,
              methods);
        }
      }
    }
    return new Measured(sources, methods);
  }

  private static void read(
      String module, Path base, List<Path> files, List<Source> sources, List<Integer> methods)
      throws IOException {
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var manager = compiler.getStandardFileManager(null, null, null)) {
      var task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  _ -> {},
                  List.of("--release", "25"),
                  null,
                  manager.getJavaFileObjectsFromPaths(files));
      var positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        Path file = Path.of(unit.getSourceFile().toUri());
        String text = Files.readString(file);
        Path relative =
            base.toAbsolutePath().normalize().relativize(file.toAbsolutePath().normalize());
        Set<String> imports =
            unit.getImports().stream()
                .map(ImportTree::getQualifiedIdentifier)
                .map(Object::toString)
                .collect(Collectors.toSet());
        Set<String> words =
            WORD.matcher(text).results().map(it -> it.group()).collect(Collectors.toSet());
        String name = relative.getFileName().toString().replace(".java", "");
        sources.add(
            new Source(
                module,
                relative.getParent().toString(),
                name,
                (int) text.lines().count(),
                imports,
                words));
        new TreePathScanner<Void, Void>() {
          @Override
          public Void visitMethod(MethodTree method, Void unused) {
            boolean isWritten =
                method.getBody() != null
                    && getCurrentPath().getParentPath().getLeaf() instanceof ClassTree;
            long start = positions.getStartPosition(unit, method);
            long end = positions.getEndPosition(unit, method);
            if (isWritten && start >= 0 && end > start) {
              methods.add(
                  (int)
                      (unit.getLineMap().getLineNumber(end)
                          - unit.getLineMap().getLineNumber(start)
                          + 1));
            }
            return super.visitMethod(method, unused);
          }
        }.scan(unit, null);
      }
    }
  }

  private static Map<String, String> rows(Measured measured) {
    var rows = new java.util.LinkedHashMap<String, String>();
    List<Source> all =
        measured.sources().stream().filter(it -> !it.name().equals("package-info")).toList();
    rows.put("main files, without package-info", figure(all.size()));
    rows.put("main lines", figure(all.stream().mapToInt(Source::lines).sum()));
    rows.put(
        "lines of a file, median / p90 / p99 / most", shape(all.stream().map(Source::lines).toList()));
    rows.put("lines of a method, median / p90 / p99 / most", shape(measured.methods()) + "");
    Map<String, Long> users = users(all);
    for (String module : List.of("agent", "operator", "testbed")) {
      List<Source> own = all.stream().filter(it -> it.module().equals(module)).toList();
      long one = own.stream().filter(it -> users.getOrDefault(key(it), 0L) == 1).count();
      rows.put(
          module + ": files / lines / classes with one user",
          "%s / %s / %s"
              .formatted(
                  figure(own.size()),
                  figure(own.stream().mapToInt(Source::lines).sum()),
                  figure(one)));
    }
    for (String process : List.of("agent/process", "operator/runtime", "operator/process")) {
      List<Source> own =
          all.stream()
              .filter(it ->
                  it.folder().endsWith("pitcrew/" + process)
                      || it.folder().contains("pitcrew/" + process + "/"))
              .toList();
      rows.put(
          process + ": files / lines",
          "%s / %s"
              .formatted(figure(own.size()), figure(own.stream().mapToInt(Source::lines).sum())));
    }
    CONCERNS.forEach((concern, pattern) ->
        rows.put(
            "packages of " + concern,
            figure(
                all.stream()
                    .filter(it ->
                        pattern
                            .matcher(it.folder().replace("dev/pitcrew/", "") + "/" + it.name())
                            .find())
                    .map(Source::folder)
                    .distinct()
                    .count())));
    rows.put("pairs of packages that know each other", figure(pairs(all)));
    rows.put(
        "simple names twice in one module",
        figure(
            all.stream()
                .collect(
                    Collectors.groupingBy(
                        it -> it.module() + " " + it.name(), Collectors.counting()))
                .values()
                .stream()
                .filter(it -> it > 1)
                .count()));
    return rows;
  }

  private static String key(Source source) {
    return source.packageName() + "." + source.name();
  }

  /// How many other files use each class: they import it, or are in its package and name it.
  private static Map<String, Long> users(List<Source> all) {
    var users = new HashMap<String, Long>();
    Map<String, List<Source>> byPackage =
        all.stream().collect(Collectors.groupingBy(Source::packageName));
    for (Source used : all) {
      String name = key(used);
      long count =
          all.stream()
                  .filter(it ->
                      it.imports().stream()
                          .anyMatch(
                              imported -> imported.equals(name) || imported.startsWith(name + ".")))
                  .count()
              + byPackage.get(used.packageName()).stream()
                  .filter(it -> it != used && it.words().contains(used.name()))
                  .count();
      users.put(name, count);
    }
    return users;
  }

  private static long pairs(Collection<Source> all) {
    Set<String> packages = all.stream().map(Source::packageName).collect(Collectors.toSet());
    var edges = new HashSet<String>();
    for (Source source : all) {
      for (String imported : source.imports()) {
        String target =
            Stream.iterate(
                    imported, it -> it.contains("."), it -> it.substring(0, it.lastIndexOf('.')))
                .filter(packages::contains)
                .findFirst()
                .orElse("");
        if (!target.isEmpty() && !target.equals(source.packageName())) {
          edges.add(source.packageName() + " " + target);
        }
      }
    }
    var pairs = new TreeSet<String>();
    edges.forEach(edge -> {
      String[] ends = edge.split(" ");
      if (edges.contains(ends[1] + " " + ends[0])) {
        pairs.add(Stream.of(ends).sorted().collect(Collectors.joining(" ")));
      }
    });
    return pairs.size();
  }

  private static String figure(long value) {
    return "%,d".formatted(value);
  }

  private static String shape(List<Integer> lengths) {
    List<Integer> sorted = lengths.stream().sorted().toList();
    return sorted.isEmpty()
        ? "-"
        : "%d / %d / %d / %d"
            .formatted(at(sorted, 0.5), at(sorted, 0.9), at(sorted, 0.99), sorted.getLast());
  }

  private static int at(List<Integer> sorted, double share) {
    return sorted.get((int) Math.min(sorted.size() - 1.0, share * sorted.size()));
  }
}
