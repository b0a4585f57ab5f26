/// The custom resources that Pitcrew serves: their schemas and the records that read them.
///
/// The YAML under `crds/` is the source of the schemas ([dev.pitcrew.api.Crds]); the records read
/// what the API server stores ([dev.pitcrew.api.ApiJson]). This package holds what several
/// resources share.
///
/// One rule for absent values, in all records:
///
/// - A component is named as the field and holds what the document says. Scalars are null where
///   absent; lists, maps and sections are never null but one of the instances of
///   [dev.pitcrew.api.Absent], which the writer leaves out. So reading and writing gives back the
///   same JSON, and no reader checks a section for null.
/// - What an absent value means stands beside it, once: claims for switches (`isEnabled()`),
///   `xOrDefault()` for scalars.
/// - `unknown` keeps the fields of later versions.
///
/// The package knows no client and no cluster: it turns JSON into values and back.
@NullMarked
package dev.pitcrew.api;

import org.jspecify.annotations.NullMarked;
