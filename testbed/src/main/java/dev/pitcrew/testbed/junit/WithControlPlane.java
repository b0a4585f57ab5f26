package dev.pitcrew.testbed.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Gives the tests of a class the control plane of this test run: parameters of type
/// [dev.pitcrew.testbed.controlplane.ControlPlane], [io.fabric8.kubernetes.client.KubernetesClient]
/// and [TestNamespace]. Cluster-scoped objects and custom resources that a test or a class creates
/// are deleted after it; with one instance for all tests of a class (`PER_CLASS`), after the class.
/// Tests with this annotation never run side by side; `make check` leaves them out.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("cluster")
@ExtendWith(ControlPlaneExtension.class)
@ResourceLock("dev.pitcrew.testbed.control-plane")
public @interface WithControlPlane {}
