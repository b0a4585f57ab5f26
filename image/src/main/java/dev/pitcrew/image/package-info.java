/// The image of operator and agent: a Java runtime cut to what both need, their jars, the native
/// programs of the node and what the C library needs, as one archive that containerd and Docker
/// import. Nothing but a JDK and the machine's own C library goes in, and no container engine is
/// asked.
///
/// Owns `image/target`. Never builds Java or C code itself: that is Maven's and make's.
@NullMarked
package dev.pitcrew.image;

import org.jspecify.annotations.NullMarked;
