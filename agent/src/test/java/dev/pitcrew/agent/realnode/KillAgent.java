package dev.pitcrew.agent.realnode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
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
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/// Halts a JVM when a chosen method returns for the first time, as `kill -9` would at that moment.
/// It changes the method when its class is loaded, so that the program needs no hook for it.
public final class KillAgent {
  static final int KILLED = 137;
  public static final String LAST_WORDS = "killed on the return of ";

  private KillAgent() {}

  /// Writes the jar that `-javaagent` names; the classes come from the class path.
  public static Path jarIn(Path folder) {
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest
        .getMainAttributes()
        .put(new Attributes.Name("Premain-Class"), KillAgent.class.getName());
    Path jar = folder.resolve("kill-agent.jar");
    try {
      new JarOutputStream(Files.newOutputStream(jar), manifest).close();
      return jar;
    } catch (IOException e) {
      throw new UncheckedIOException("write " + jar, e);
    }
  }

  /// @param place `<class>#<method>`, with `@<text>` for a method that counts only where its first
  ///   argument, an object, has this text
  public static void premain(String place, Instrumentation instrumentation) {
    String[] parts = place.split("[#@]", -1);
    String text = parts.length > 2 ? parts[2] : "";
    instrumentation.addTransformer(new Change(parts[0].replace('.', '/'), parts[1], text, place));
  }

  /// Called by the changed method.
  public static void kill(@Nullable Object argument, String text, String place) {
    if (String.valueOf(argument).contains(text)) {
      System.err.println(LAST_WORDS + place);
      Runtime.getRuntime().halt(KILLED);
    }
  }

  /// @param type as class files write it
  private record Change(String type, String method, String text, String place)
      implements ClassFileTransformer {
    private static final ClassDesc KILLER = ClassDesc.of(KillAgent.class.getName());
    private static final MethodTypeDesc KILL =
        MethodTypeDesc.of(
            ConstantDescs.CD_void,
            ConstantDescs.CD_Object,
            ConstantDescs.CD_String,
            ConstantDescs.CD_String);

    @Override
    public byte @Nullable [] transform(
        @Nullable ClassLoader loader,
        String name,
        @Nullable Class<?> redefined,
        @Nullable ProtectionDomain domain,
        byte[] content) {
      return type.equals(name) ? changed(content) : null;
    }

    private byte[] changed(byte[] content) {
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
      int firstArgument = candidate.flags().has(AccessFlag.STATIC) ? 0 : 1;
      return (code, element) -> {
        if (element instanceof ReturnInstruction) {
          if (text.isEmpty()) {
            code.aconst_null();
          } else {
            code.aload(firstArgument);
          }
          code.loadConstant(text).loadConstant(place).invokestatic(KILLER, "kill", KILL);
        }
        code.with(element);
      };
    }
  }
}
