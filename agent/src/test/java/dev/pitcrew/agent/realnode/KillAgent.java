package dev.pitcrew.agent.realnode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Collection;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Halts a JVM when a chosen method returns for the first time, as `kill -9` would at that moment.
/// It changes the method itself, so that the program needs no hook for it.
///
/// A place is `<class>#<method>`, with `@<text>` for a method that counts only where its first
/// argument, an object, has this text, and with one more `@<text>` for its second argument: `!` in
/// front of the text is for one that has it not. `-><text>` at the end counts only returns of an
/// object with this text: a refused call has no effect.
///
/// There are two ways to use it. `-javaagent` names one place, at which the JVM ends. A
/// [KillSwitch] has the methods of many places changed, and arms one of them while the JVM runs.
public final class KillAgent {
  static final String JAR = "kill-agent.jar";

  private KillAgent() {}

  /// Writes the jar that names this class as an agent; the classes come from the class path.
  public static Path jarIn(Path folder) {
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest
        .getMainAttributes()
        .put(new Attributes.Name("Premain-Class"), KillAgent.class.getName());
    Path jar = folder.resolve(JAR);
    try {
      new JarOutputStream(Files.newOutputStream(jar), manifest).close();
      return jar;
    } catch (IOException e) {
      throw new UncheckedIOException("write " + jar, e);
    }
  }

  public static void premain(String place, Instrumentation instrumentation) {
    instrumentation.addTransformer(Change.at(place));
  }

  /// Writes the class files of all methods at these places, changed, each under the binary name of
  /// its class.
  ///
  /// @param program where the classes come from
  static void changeInto(Path folder, Collection<String> places, ClassLoader program)
      throws IOException {
    var changes = places.stream().map(Change::at).collect(Collectors.groupingBy(Change::type));
    for (var type : changes.entrySet()) {
      byte[] content;
      try (var original = program.getResourceAsStream(type.getKey() + ".class")) {
        content = Objects.requireNonNull(original, type.getKey()).readAllBytes();
      }
      for (Change change : type.getValue()) {
        content = change.changed(content);
      }
      Files.write(folder.resolve(type.getKey().replace('/', '.') + ".class"), content);
    }
  }

  /// @param type as class files write it
  /// @param arguments how many of the method's arguments matter
  private record Change(String type, String method, int arguments, String place)
      implements ClassFileTransformer {
    private static final ClassDesc KILLER = ClassDesc.of(KillCheck.class.getName());
    private static final MethodTypeDesc KILL =
        MethodTypeDesc.of(
            ConstantDescs.CD_void,
            ConstantDescs.CD_Object,
            ConstantDescs.CD_Object,
            ConstantDescs.CD_Object,
            ConstantDescs.CD_String);

    static Change at(String place) {
      String[] parts = place.split(KillCheck.RESULT, -1)[0].split("[#@]", -1);
      return new Change(parts[0].replace('.', '/'), parts[1], parts.length - 2, place);
    }

    @Override
    public byte @Nullable [] transform(
        @Nullable ClassLoader loader,
        String name,
        @Nullable Class<?> redefined,
        @Nullable ProtectionDomain domain,
        byte[] content) {
      return type.equals(name) ? changed(content) : null;
    }

    byte[] changed(byte[] content) {
      var file = ClassFile.of();
      return file.transformClass(
          file.parse(content),
          (type, element) -> {
            if (element instanceof MethodModel candidate
                && candidate.methodName().equalsString(method)) {
              type.transformMethod(
                  candidate, MethodTransform.transformingCode(beforeReturn(candidate)));
            } else {
              type.with(element);
            }
          });
    }

    private CodeTransform beforeReturn(MethodModel candidate) {
      int first = candidate.flags().has(AccessFlag.STATIC) ? 0 : 1;
      return (code, element) -> {
        if (element instanceof ReturnInstruction instruction) {
          if (instruction.opcode() == Opcode.ARETURN) {
            code.dup();
          } else {
            code.aconst_null();
          }
          for (int argument = 0; argument < 2; argument++) {
            if (argument < arguments) {
              code.aload(first + argument);
            } else {
              code.aconst_null();
            }
          }
          code.loadConstant(place).invokestatic(KILLER, "kill", KILL);
        }
        code.with(element);
      };
    }
  }
}
