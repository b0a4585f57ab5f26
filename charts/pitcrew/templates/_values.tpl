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
