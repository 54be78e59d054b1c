{{/* Names, labels and images. The argument of templates about one service is a dict of root (the chart's scope), key (in values) and name (kebab case). */}}

{{- define "perch.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "perch.fullname" -}}
{{- $name := include "perch.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Name of a service's objects. */}}
{{- define "perch.objectName" -}}
{{- printf "%s-%s" (include "perch.fullname" .root) .name -}}
{{- end -}}

{{- define "perch.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{- .Values.serviceAccount.name -}}
{{- else if .Values.serviceAccount.create -}}
{{- include "perch.fullname" . -}}
{{- else -}}
default
{{- end -}}
{{- end -}}

{{/* Labels that select pods. They must never change: a Deployment's selector is immutable. */}}
{{- define "perch.releaseSelector" -}}
app.kubernetes.io/name: {{ include "perch.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "perch.selector" -}}
{{ include "perch.releaseSelector" .root }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{/*
Version of an image, as a label can have it: its tag; the first digits of its digest if it has no tag of its own.
*/}}
{{- define "perch.version" -}}
{{- $image := .root.Values.image -}}
{{- $digest := get $image.digests (default "" .key) -}}
{{- if and $digest (not $image.tag) -}}
{{- $digest | replace ":" "-" | trunc 19 -}}
{{- else -}}
{{- default .root.Chart.AppVersion $image.tag | trunc 63 | trimAll "-_." -}}
{{- end -}}
{{- end -}}

{{/*
Labels of an object or of a service's pods, each once: labels in `labels` and then the common ones give way to the chart's own, except part-of.
Without key and name: of an object of the whole release.
*/}}
{{- define "perch.labels" -}}
{{- $own := dict "app.kubernetes.io/name" (include "perch.name" .root) "app.kubernetes.io/instance" .root.Release.Name -}}
{{- $_ := set $own "app.kubernetes.io/version" (include "perch.version" .) -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_") -}}
{{- with .name -}}{{- $_ := set $own "app.kubernetes.io/component" . -}}{{- end -}}
{{- toYaml (merge $own (default (dict) .labels) .root.Values.commonLabels (dict "app.kubernetes.io/part-of" "perch")) -}}
{{- end -}}

{{- define "perch.releaseLabels" -}}
{{- include "perch.labels" (dict "root" .) -}}
{{- end -}}

{{/* Annotations of an object: the common ones and those in `annotations`; nothing where there are none. */}}
{{- define "perch.annotations" -}}
{{- $all := merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations -}}
{{- if $all -}}
annotations:
  {{- toYaml $all | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Image of a service: by digest if there is one, else by tag. */}}
{{- define "perch.image" -}}
{{- $image := .root.Values.image -}}
{{- $name := get $image.names .key -}}
{{- $digest := get $image.digests .key -}}
{{- with $image.registry }}{{ . }}/{{ end }}{{ $name }}
{{- if $digest }}@{{ $digest }}{{ else }}:{{ default .root.Chart.AppVersion $image.tag }}{{ end -}}
{{- end -}}
