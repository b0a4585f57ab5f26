package dev.pitcrew.testbed.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/// A test that only `make soak` runs: it repeats, for longer or with more combinations, what
/// another test shows in kind. CONTRIBUTING lists these tests.
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("soak")
public @interface SoakOnly {}
