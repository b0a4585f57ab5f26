package dev.pitcrew.api;

import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import java.lang.annotation.Annotation;
import org.jspecify.annotations.Nullable;

/// Jackson's annotations and [Unknown]. None of them is looked into for others that it stands for:
/// the JVM makes a class of every annotation that is looked at, a third of what it takes to read
/// the first document.
final class RecordAnnotations extends JacksonAnnotationIntrospector {
  @Override
  public boolean isAnnotationBundle(Annotation annotation) {
    return false;
  }

  @Override
  public @Nullable Boolean hasAnySetter(Annotated annotated) {
    return isUnknown(annotated);
  }

  @Override
  public @Nullable Boolean hasAnyGetter(Annotated annotated) {
    return isUnknown(annotated);
  }

  /// Null where it says nothing, as Jackson asks for.
  private static @Nullable Boolean isUnknown(Annotated annotated) {
    return annotated.hasAnnotation(Unknown.class) ? true : null;
  }
}
