@NullMarked
package dev.pitcrew.kube;

import org.jspecify.annotations.NullMarked;
