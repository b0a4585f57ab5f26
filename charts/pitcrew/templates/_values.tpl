{{/*
Adds the defaults that the values lack; every template that reads values begins with it. `helm upgrade --reuse-values` takes the values of the
release before in place of this chart's values.yaml, and those of NVIDIA's chart, or of an older release of this chart, lack some: they are
recognized by pitcrew.valuesOf. Otherwise nothing is added, so that a null takes a default away.
files/values.yaml is a copy: Helm does not hand a chart its own values.yaml.
*/}}
{{- define "pitcrew.complete" -}}
{{- $pitcrew := get .Values "pitcrew" | default dict -}}
{{- if ne (get $pitcrew "valuesOf" | toString) .Chart.Version -}}
{{- range $key, $default := .Files.Get "files/values.yaml" | fromYaml -}}
{{- include "pitcrew.completeKey" (dict "values" $.Values "key" $key "default" $default) -}}
{{- end -}}
{{- $_ := set .Values.pitcrew "valuesOf" .Chart.Version -}}
{{- end -}}
{{- end }}

{{/* Sprig's merge takes false and 0 for absent. Arguments: values, key and default. */}}
{{- define "pitcrew.completeKey" -}}
{{- if not (hasKey .values .key) -}}
{{- $_ := set .values .key .default -}}
{{- else if and (kindIs "map" .default) (kindIs "map" (get .values .key)) -}}
{{- $values := get .values .key -}}
{{- range $key, $default := .default -}}
{{- include "pitcrew.completeKey" (dict "values" $values "key" $key "default" $default) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/*
The unknown values, one path a line. Arguments: values, known (their keys, as in files/known-values.yaml) and path. Helm does not
hand a chart its own values.yaml, and has the user's values merged with it already.
*/}}
{{- define "pitcrew.unknownValues" -}}
{{- range $key, $value := .values }}
{{- $path := append $.path $key }}
{{- $known := get $.known $key }}
{{- if kindIs "invalid" $value }}
{{- else if not (hasKey $.known $key) }}
{{ join "." $path }}
{{- else if and (kindIs "map" $value) (kindIs "map" $known) }}
{{- include "pitcrew.unknownValues" (dict "values" $value "known" $known "path" $path) }}
{{- end }}
{{- end }}
{{- end }}
