{{/* Labels that tell this installation from others, with their values: those of monitoring.groupBy. */}}
{{- define "perch.installation" -}}
{{- $labels := dict -}}
{{- $monitoring := .Values.monitoring -}}
{{- range $label := $monitoring.groupBy -}}
{{- if eq $label "namespace" -}}
{{- $_ := set $labels $label $.Release.Namespace -}}
{{- else if eq $label "release" -}}
{{- $_ := set $labels $label $.Release.Name -}}
{{- else if hasKey $monitoring.targetLabels $label -}}
{{- $_ := set $labels $label (get $monitoring.targetLabels $label) -}}
{{- else -}}
{{- fail (printf "monitoring.targetLabels.%s: required, because monitoring.groupBy names it" $label) -}}
{{- end -}}
{{- end -}}
{{- toYaml $labels -}}
{{- end -}}

{{/*
An expression of files/rules for this installation alone: two releases with rules would otherwise record and alert twice. The word `namespace` in it is the
grouping label, `perch_…`, `perch:…` and `up` are selectors. The argument is a dict of root and expr.
*/}}
{{- define "perch.ruleExpression" -}}
{{- $labels := .root.Values.monitoring.groupBy -}}
{{- $matchers := list -}}
{{- range $label, $value := include "perch.installation" .root | fromYaml -}}
{{- $matchers = append $matchers (printf "%s=%q" $label $value) -}}
{{- end -}}
{{- $expr := regexReplaceAll "\\bnamespace, release\\b" .expr "@both@" -}}
{{- $expr = regexReplaceAll "\\bnamespace\\b" $expr (join ", " $labels) -}}
{{- $expr = replace "@both@" (append (without $labels "release") "release" | join ", ") $expr -}}
{{- regexReplaceAll "\\b(?:perch[_:][a-z0-9_:]+|up)\\b" $expr (printf "${0}{%s}" (join ", " $matchers)) | replace "}{" ", " -}}
{{- end -}}

{{/* Relabelings of both ServiceMonitors: labels as in deploy/prometheus, and those that tell installations apart. */}}
{{- define "perch.targetLabels" -}}
- {sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component], targetLabel: component}
- {targetLabel: release, replacement: {{ .Release.Name }}}
{{- range $label, $value := .Values.monitoring.targetLabels }}
- {targetLabel: {{ $label }}, replacement: {{ $value | quote }}}
{{- end }}
{{- end -}}

{{/* A file of files/grafana with links to the operators' runbooks, and a variable for each label of monitoring.groupBy. The argument is a dict of root and text. */}}
{{- define "perch.dashboard" -}}
{{- $monitoring := .root.Values.monitoring -}}
{{- $text := .text -}}
{{- if ne (join "," $monitoring.groupBy) "namespace" -}}
{{- $dashboard := fromJson $text -}}
{{- $variables := list -}}
{{- $rest := list -}}
{{- range $variable := $dashboard.templating.list -}}
{{- if eq $variable.name "namespace" -}}
{{- range $label := $monitoring.groupBy -}}
{{- $variables = append $variables (toJson $variable | replace "namespace" $label) -}}
{{- end -}}
{{- $rest = append $rest "@variables@" -}}
{{- else -}}
{{- $rest = append $rest $variable -}}
{{- end -}}
{{- end -}}
{{- $_ := set $dashboard.templating "list" $rest -}}
{{- $matchers := list -}}
{{- range $label := $monitoring.groupBy -}}
{{- $matchers = append $matchers (printf "%s=~\\\"$%s\\\"" $label $label) -}}
{{- end -}}
{{- $text = toJson $dashboard | replace "namespace=~\\\"$namespace\\\"" "@matchers@" -}}
{{- $text = regexReplaceAll "\\bnamespace\\b" $text (join ", " $monitoring.groupBy) -}}
{{- $text = replace "@matchers@" (join ", " $matchers) $text | replace "\"@variables@\"" (join "," $variables) -}}
{{- end -}}
{{- with trimSuffix "/" $monitoring.prometheusRule.runbookUrl -}}
{{- $text = replace "\"docs/runbooks/" (printf "\"%s/" .) $text -}}
{{- end -}}
{{- $text -}}
{{- end -}}
