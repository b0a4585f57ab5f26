package dev.pitcrew.testbed.browser;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/// Skips the tests of a class on machines without Chromium on which it cannot be installed, and
/// gives what to install as the reason. `make check` leaves them out.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("cluster")
@ExtendWith(BrowserCondition.class)
public @interface NeedsBrowser {}
