import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/// Raises the classes of a jar to the class files of Java 8, in place. Those of picocli are of Java
/// 5, which a JVM verifies slowly, and leaves out of AOT caches. What they do stays the same; the
/// stack maps that newer class files need are added.
final class RaiseClasses {
  private static final int WANTED = ClassFile.JAVA_8_VERSION;
  private static final int MAJOR_VERSION_AT = 7;

  public static void main(String[] args) throws IOException {
    Path jar = Path.of(args[0]);
    Path raised = Path.of(args[0] + ".raised");
    try (var loader = new URLClassLoader(new URL[] {jar.toUri().toURL()});
        var in = new JarFile(jar.toFile());
        var out = new JarOutputStream(Files.newOutputStream(raised))) {
      var classFile =
          ClassFile.of(
              StackMapsOption.GENERATE_STACK_MAPS,
              ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofClassLoading(loader)));
      for (JarEntry entry : List.copyOf(in.stream().toList())) {
        byte[] content = in.getInputStream(entry).readAllBytes();
        var copy = new JarEntry(entry.getName());
        copy.setTime(entry.getTime());
        out.putNextEntry(copy);
        out.write(isOld(entry, content) ? raise(classFile, content) : content);
      }
    }
    Files.move(raised, jar, StandardCopyOption.REPLACE_EXISTING);
  }

  private static boolean isOld(JarEntry entry, byte[] content) {
    return entry.getName().endsWith(".class") && content[MAJOR_VERSION_AT] < WANTED;
  }

  private static byte[] raise(ClassFile classFile, byte[] content) {
    return classFile.transformClass(
        classFile.parse(content),
        ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
            .andThen(ClassTransform.endHandler(builder -> builder.withVersion(WANTED, 0))));
  }
}
