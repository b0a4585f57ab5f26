{{/*
A hook: its account, its rights and its Job. Arguments: root, name, event (Helm's name of the moment), args (of the pitcrew command),
clusterRules and, if it needs any in the namespace, rules. The account is made before the Job (weight) and goes with it.
*/}}
{{- define "pitcrew.hook" -}}
{{- $namespace := .root.Release.Namespace -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  namespace: {{ $namespace }}
  {{- include "pitcrew.hook.metadata" (dict "hook" . "weight" 0) | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .name }}
  {{- include "pitcrew.hook.metadata" (dict "hook" . "weight" 0) | nindent 2 }}
rules:
  {{- .clusterRules | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .name }}
  {{- include "pitcrew.hook.metadata" (dict "hook" . "weight" 0) | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ .name }}
    namespace: {{ $namespace }}
{{- with .rules }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ $.name }}
  namespace: {{ $namespace }}
  {{- include "pitcrew.hook.metadata" (dict "hook" $ "weight" 0) | nindent 2 }}
rules:
  {{- trim . | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ $.name }}
  namespace: {{ $namespace }}
  {{- include "pitcrew.hook.metadata" (dict "hook" $ "weight" 0) | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ $.name }}
subjects:
  - kind: ServiceAccount
    name: {{ $.name }}
    namespace: {{ $namespace }}
{{- end }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .name }}
  namespace: {{ $namespace }}
  {{- include "pitcrew.hook.metadata" (dict "hook" . "weight" 1) | nindent 2 }}
spec:
  backoffLimit: 3
  activeDeadlineSeconds: {{ .root.Values.pitcrew.hookDeadlineSeconds }}
  template:
    metadata:
      labels:
        {{- include "pitcrew.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ include "pitcrew.name" .root }}-hook
    spec:
      serviceAccountName: {{ .name }}
      {{- /* OnFailure would take a pod that fails, and its log, away with the deadline or the last try. */}}
      restartPolicy: Never
      {{- include "pitcrew.pod.placement" .root | trim | nindent 6 }}
      {{- include "pitcrew.pod.security" .root | nindent 6 }}
      containers:
        - name: {{ .name }}
          {{- include "pitcrew.container.security" .root | nindent 10 }}
          command: [pitcrew]
          args:
            {{- toYaml .args | nindent 12 }}
          env:
            - name: OPERATOR_NAMESPACE
              valueFrom:
                fieldRef:
                  fieldPath: metadata.namespace
          {{- with .root.Values.operator.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          {{- include "pitcrew.scratch.mount" .root | nindent 10 }}
      {{- include "pitcrew.scratch.volume" .root | nindent 6 }}
{{- end }}

{{/* A failed hook stays, so that its log can be read; the next try removes it. */}}
{{- define "pitcrew.hook.metadata" -}}
labels:
  {{- include "pitcrew.labels" .hook.root | nindent 2 }}
  app.kubernetes.io/component: {{ include "pitcrew.name" .hook.root }}-hook
annotations:
  helm.sh/hook: {{ .hook.event }}
  helm.sh/hook-weight: {{ .weight | quote }}
  helm.sh/hook-delete-policy: hook-succeeded,before-hook-creation
{{- end }}

{{- define "pitcrew.definitions" -}}
- clusterpolicies.nvidia.com
- nvidiadrivers.nvidia.com
- gpuclusters.nvidia.com
- computedomains.resource.nvidia.com
- computedomaincliques.resource.nvidia.com
- fleetpolicies.pitcrew.dev
- gpunodes.pitcrew.dev
{{- end }}
