/// The conditions of a status, as pure functions: nothing is read or written here.
@NullMarked
package dev.pitcrew.kube.condition;

import org.jspecify.annotations.NullMarked;
