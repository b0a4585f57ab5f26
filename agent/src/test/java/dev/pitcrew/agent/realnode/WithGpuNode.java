package dev.pitcrew.agent.realnode;

import dev.pitcrew.testbed.junit.NeedsRealNodes;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/// Gives the tests of a class the node with GPUs of this test run, as a parameter of the
/// constructor; it starts at the first test that needs it.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@NeedsRealNodes
@ExtendWith(GpuNodeExtension.class)
@interface WithGpuNode {}
