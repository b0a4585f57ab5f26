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
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Halts a JVM when a chosen method returns for the first time, as `kill -9` would at that moment.
/// It changes the method itself, so that the program needs no hook for it.
///
/// There are two ways to use it. `-javaagent` names one place, at which the JVM ends. A JVM that
/// loads it with the folder of a [KillSwitch] runs on until the switch names a place.
public final class KillAgent {
  static final String JAR = "kill-agent.jar";
  static final int KILLED = 137;
  public static final String LAST_WORDS = "killed on the return of ";

  private static final String RESULT = "->";

  /// Names the place in force; null where there is one place, always in force.
  private static volatile @Nullable Path armed;

  private KillAgent() {}

  /// Writes the jar that names this class as an agent; the classes come from the class path.
  public static Path jarIn(Path folder) {
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    for (String attribute : List.of("Premain-Class", "Agent-Class")) {
      manifest.getMainAttributes().put(new Attributes.Name(attribute), KillAgent.class.getName());
    }
    manifest
        .getMainAttributes()
        .put(new Attributes.Name("Can-Retransform-Classes"), String.valueOf(true));
    Path jar = folder.resolve(JAR);
    try {
      new JarOutputStream(Files.newOutputStream(jar), manifest).close();
      return jar;
    } catch (IOException e) {
      throw new UncheckedIOException("write " + jar, e);
    }
  }

  /// @param place `<class>#<method>`, with `@<text>` for a method that counts only where its first
  ///   argument, an object, has this text, and with one more `@<text>` for its second argument: `!`
  ///   in front of the text is for one that has it not. `-><text>` at the end counts only returns
  ///   of an object with this text: a refused call has no effect
  public static void premain(String place, Instrumentation instrumentation) {
    instrumentation.addTransformer(Change.at(place));
  }

  /// For a JVM that runs already: an AOT cache, which has most classes loaded from the start, is of
  /// use only to a JVM without `-javaagent`.
  ///
  /// @param folder of the switch
  public static void agentmain(String folder, Instrumentation instrumentation) throws Exception {
    var killSwitch = new KillSwitch(Path.of(folder));
    armed = killSwitch.armed();
    List<Change> changes = killSwitch.places().stream().map(Change::at).toList();
    changes.forEach(change -> instrumentation.addTransformer(change, true));
    for (String type : changes.stream().map(Change::name).collect(Collectors.toSet())) {
      ClassLoader loader = ClassLoader.getSystemClassLoader();
      instrumentation.retransformClasses(Class.forName(type, false, loader));
    }
  }

  /// Called by the changed method.
  public static void kill(
      @Nullable Object result, @Nullable Object first, @Nullable Object second, String place) {
    String[] parts = place.split(RESULT, -1);
    String[] texts = parts[0].split("@", -1);
    if (isArmed(place)
        && counts(result, parts, 1)
        && counts(first, texts, 1)
        && counts(second, texts, 2)) {
      System.err.println(LAST_WORDS + place);
      Runtime.getRuntime().halt(KILLED);
    }
  }

  private static boolean counts(@Nullable Object argument, String[] texts, int index) {
    if (index >= texts.length) {
      return true;
    }
    boolean isNot = texts[index].startsWith("!");
    return String.valueOf(argument).contains(texts[index].substring(isNot ? 1 : 0)) != isNot;
  }

  private static boolean isArmed(String place) {
    Path file = armed;
    try {
      return file == null || Files.readString(file).equals(place);
    } catch (IOException _) {
      return false;
    }
  }

  /// @param type as class files write it
  /// @param arguments how many of the method's arguments matter
  private record Change(String type, String method, int arguments, String place)
      implements ClassFileTransformer {
    private static final ClassDesc KILLER = ClassDesc.of(KillAgent.class.getName());
    private static final MethodTypeDesc KILL =
        MethodTypeDesc.of(
            ConstantDescs.CD_void,
            ConstantDescs.CD_Object,
            ConstantDescs.CD_Object,
            ConstantDescs.CD_Object,
            ConstantDescs.CD_String);

    static Change at(String place) {
      String[] parts = place.split(RESULT, -1)[0].split("[#@]", -1);
      return new Change(parts[0].replace('.', '/'), parts[1], parts.length - 2, place);
    }

    String name() {
      return type.replace('/', '.');
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
