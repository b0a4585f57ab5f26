package dev.pitcrew.hardware.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// The links under which programs look for a library: those that many of them take for granted, and
/// those that lie beside it.
final class LibraryLinks {
  /// `libx.so.1.2` but not `libx.so` nor `libx.so.1`.
  private static final Predicate<String> VERSIONED = NamePattern.of("*.*.*");

  private static final Pattern AFTER_SO = Pattern.compile("(\\.so)\\..*$");

  private LibraryLinks() {}

  static List<Link> of(RootFolder root, String library) {
    String folder = RootFolder.parent(library);
    String name = RootFolder.name(library);
    List<Link> links = new ArrayList<>(takenForGranted(folder, name));
    if (VERSIONED.test(name)) {
      SharedObject.soname(root.at(library))
          .map(soname -> soname.isEmpty() ? name : soname)
          .ifPresent(soname -> links.addAll(beside(root, library, soname)));
    }
    return links.stream().distinct().toList();
  }

  private static List<Link> takenForGranted(String folder, String name) {
    if (!VERSIONED.test(name)) {
      return List.of();
    }
    if (name.startsWith("libcuda.so.")) {
      return List.of(new Link("libcuda.so.1", RootFolder.child(folder, "libcuda.so")));
    }
    if (name.startsWith("libGLX_nvidia.so.")) {
      return List.of(new Link(name, RootFolder.child(folder, "libGLX_indirect.so.0")));
    }
    if (name.startsWith("libnvidia-opticalflow.so.")) {
      String link = RootFolder.child(folder, "libnvidia-opticalflow.so");
      return List.of(new Link("libnvidia-opticalflow.so.1", link));
    }
    return List.of();
  }

  /// The linker's name for the library, and the compiler's name for that.
  private static List<Link> beside(RootFolder root, String library, String soname) {
    String folder = RootFolder.parent(library);
    String name = RootFolder.name(library);
    String linkTime = AFTER_SO.matcher(soname).replaceFirst("$1");
    List<Link> links = new ArrayList<>();
    if (!soname.equals(name)) {
      existing(root, name, RootFolder.child(folder, soname)).ifPresent(links::add);
    }
    if (!linkTime.equals(soname)) {
      existing(root, soname, RootFolder.child(folder, linkTime)).ifPresent(links::add);
    }
    return links;
  }

  private static Optional<Link> existing(RootFolder root, String target, String path) {
    return root.linkTarget(path).map(_ -> new Link(target, path));
  }
}
