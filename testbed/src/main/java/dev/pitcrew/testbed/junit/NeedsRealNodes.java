package dev.pitcrew.testbed.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/// Skips the tests of a class on machines that cannot run [dev.pitcrew.testbed.node.RealNode]s, and
/// gives what is missing as the reason. `make check` leaves them out.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("cluster")
@ExtendWith(RealNodesCondition.class)
public @interface NeedsRealNodes {}
