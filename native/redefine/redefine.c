// Gives classes of a JVM other content before its program starts, as tests of kills need it: a library for
// -agentpath:LIBRARY=FOLDER, where FOLDER has classes/BINARY.NAME.class for each of them, and kill-check.jar,
// which the class path gets at its end.
//
// -javaagent does as much, but a JVM that is started with it uses no AOT cache with linked classes (JEP 483), and the
// Java runtime of the image has no java.instrument.
#include <dirent.h>
#include <jvmti.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *folder;

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("redefine: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  _Exit(3);
}

static void check(jvmtiError error, const char *what, const char *subject) {
  if (error != JVMTI_ERROR_NONE) {
    fail("%s %s: JVMTI error %d", what, subject, error);
  }
}

static char *path_of(const char *name) {
  char *path;
  if (asprintf(&path, "%s/%s", folder, name) < 0) {
    fail("out of memory");
  }
  return path;
}

static unsigned char *content_of(const char *path, jint *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    fail("%s cannot be read", path);
  }
  long length = ftell(file);
  unsigned char *content = malloc((size_t)length);
  rewind(file);
  if (content == NULL || fread(content, 1, (size_t)length, file) != (size_t)length) {
    fail("%s cannot be read", path);
  }
  fclose(file);
  *size = (jint)length;
  return content;
}

// Unlike FindClass, loads a class without running its static initializers.
static jclass load(JNIEnv *jni, const char *name) {
  jclass loaders = (*jni)->FindClass(jni, "java/lang/ClassLoader");
  jmethodID system =
      (*jni)->GetStaticMethodID(jni, loaders, "getSystemClassLoader", "()Ljava/lang/ClassLoader;");
  jmethodID load =
      (*jni)->GetMethodID(jni, loaders, "loadClass", "(Ljava/lang/String;)Ljava/lang/Class;");
  jobject loader = (*jni)->CallStaticObjectMethod(jni, loaders, system);
  jclass loaded = (*jni)->CallObjectMethod(jni, loader, load, (*jni)->NewStringUTF(jni, name));
  if ((*jni)->ExceptionCheck(jni)) {
    (*jni)->ExceptionDescribe(jni);
    fail("%s cannot be loaded", name);
  }
  return loaded;
}

static void redefine(jvmtiEnv *jvmti, JNIEnv *jni, const char *file) {
  char *path;
  if (asprintf(&path, "%s/classes/%s", folder, file) < 0) {
    fail("out of memory");
  }
  char *name = strndup(file, strlen(file) - strlen(".class"));
  jvmtiClassDefinition definition = {.klass = load(jni, name)};
  unsigned char *content = content_of(path, &definition.class_byte_count);
  definition.class_bytes = content;
  check((*jvmti)->RedefineClasses(jvmti, 1, &definition), "redefine", name);
  free(content);
  free(name);
  free(path);
}

static void JNICALL started(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread) {
  (void)thread;
  // Not before the JVM has taken its AOT cache.
  jvmtiCapabilities capabilities = {.can_redefine_classes = 1};
  check((*jvmti)->AddCapabilities(jvmti, &capabilities), "add", "can_redefine_classes");
  char *jar = path_of("kill-check.jar");
  check((*jvmti)->AddToSystemClassLoaderSearch(jvmti, jar), "add to the class path", jar);
  free(jar);

  char *classes = path_of("classes");
  DIR *files = opendir(classes);
  if (files == NULL) {
    fail("%s cannot be read", classes);
  }
  for (struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
    if (file->d_name[0] != '.') {
      redefine(jvmti, jni, file->d_name);
    }
  }
  closedir(files);
  free(classes);
}

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL
Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
  (void)reserved;
  jvmtiEnv *jvmti;
  if (options == NULL || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
    fail("usage: -agentpath:LIBRARY=FOLDER");
  }
  folder = strdup(options);
  jvmtiEventCallbacks callbacks = {.VMInit = started};
  check(
      (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks), "set callbacks for", folder);
  check(
      (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL),
      "await the start for", folder);
  return JNI_OK;
}
