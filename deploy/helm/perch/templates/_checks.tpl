{{/* Refuses values that JSON Schema cannot judge because two of them are compared. deployments.yaml, which every release renders, includes this. */}}
{{- define "perch.check" -}}
{{- $fullname := include "perch.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $fullname) -}}
{{- fail (printf "fullnameOverride: names of objects would begin with %s, made of the release's name and nameOverride, and no Service may have such a name; set one that begins with a letter and has only small letters, digits and hyphens" $fullname) -}}
{{- end -}}
{{- if and (not .Values.redis.url) (not .Values.redis.existingSecret.name) -}}
{{- fail "redis.url: required; the chart installs no Redis. Set the URL of yours, redis://host:6379, or, if it has a password, put the URL into a Secret and name it in redis.existingSecret.name" -}}
{{- end -}}
{{- if and .Values.redis.url .Values.redis.existingSecret.name -}}
{{- fail "redis.url: redis.existingSecret.name is set, too; set one of them" -}}
{{- end -}}
{{- if regexMatch "^[a-z-]+://.*(@|[?&](password|username)=)" .Values.redis.url -}}
{{- fail "redis.url: contains a password or user; put the whole URL into a Secret and name it in redis.existingSecret.name" -}}
{{- end -}}
{{- if and .Values.redis.ca.secretName .Values.redis.ca.configMapName -}}
{{- fail "redis.ca: name a Secret or a ConfigMap, not both" -}}
{{- end -}}
{{- range $key := list "gateway" "robotLink" "renderer" -}}
{{- $scaling := (get $.Values $key).autoscaling -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail (printf "%s.autoscaling: minReplicas is %d, more than maxReplicas, %d" $key (int $scaling.minReplicas) (int $scaling.maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- $managed := .Files.Get "files/managed-settings.yaml" | fromYaml -}}
{{- $services := .Files.Get "files/settings.yaml" | fromYaml -}}
{{- range $part := list "settings" "secretSettings" -}}
{{- range $name, $_ := get $.Values $part -}}
{{- with get $managed $name -}}
{{- fail (printf "%s.%s: determined by the value %s; set that instead" $part $name .) -}}
{{- end -}}
{{- if not (hasPrefix "PERCH_" $name) -}}
{{- fail (printf "%s.%s: no setting of Perch; set other environment variables in gateway.extraEnv and in that of each service that needs them" $part $name) -}}
{{- end -}}
{{- if not (hasKey $services $name) -}}
{{- fail (printf "%s.%s: no service has this setting (docs/operate/settings.md)" $part $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $key := list "gateway" "robotLink" "renderer" "webhooks" "mqttBridge" "probe" "cli" -}}
{{- range (get $.Values $key).extraEnv -}}
{{- if hasPrefix "PERCH_" .name -}}
{{- fail (printf "%s.extraEnv: %s is a setting of Perch; set it in settings, or in secretSettings if it is a secret" $key .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := .Values.secretSettings -}}
{{- if not (has $name (include "perch.secretSettings" $ | splitList " ")) -}}
{{- fail (printf "secretSettings.%s: no secret; set it in settings" $name) -}}
{{- end -}}
{{- if hasKey $.Values.settings $name -}}
{{- fail (printf "settings.%s: set in secretSettings, too; remove it here" $name) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (not .Values.redis.url) (not .Values.networkPolicy.redis.ports) -}}
{{- fail "networkPolicy.redis.ports: required, because the chart cannot read the URL in redis.existingSecret" -}}
{{- end -}}
{{- if and (eq (toString .Values.settings.PERCH_SPEECH) "http") (not .Values.settings.PERCH_SPEECH_URL) -}}
{{- fail "settings.PERCH_SPEECH_URL: required, because settings.PERCH_SPEECH is http" -}}
{{- end -}}
{{- range $key := list "gateway" "robotLink" -}}
{{- with (get $.Values $key).service -}}
{{- if and (eq .type "ClusterIP") (or .externalTrafficPolicy .nodePort) -}}
{{- fail (printf "%s.service: externalTrafficPolicy and nodePort are for the types NodePort and LoadBalancer" $key) -}}
{{- end -}}
{{- if and (ne .type "LoadBalancer") (or .loadBalancerClass .loadBalancerSourceRanges) -}}
{{- fail (printf "%s.service: loadBalancerClass and loadBalancerSourceRanges are for the type LoadBalancer" $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with .Values.oidc -}}
{{- if and .issuer (not .clientId) }}{{ fail "oidc.clientId: required, because oidc.issuer is set" }}{{ end -}}
{{- if and (not .issuer) (or .clientId .name .existingSecret.name) }}{{ fail "oidc.issuer: required, because another value of oidc is set" }}{{ end -}}
{{- end -}}
{{- if and .Values.mail.from (not .Values.mail.existingSecret.name) }}{{ fail "mail.existingSecret.name: required, because mail.from is set" }}{{ end -}}
{{- if and .Values.mail.existingSecret.name (not .Values.mail.from) }}{{ fail "mail.from: required, because mail.existingSecret.name is set" }}{{ end -}}
{{- if and .Values.mail.from (not (include "perch.publicUrl" .)) }}{{ fail "publicUrl: required, because mail.from is set: links in e-mails lead there" }}{{ end -}}
{{- if and .Values.traces.existingSecret.name (not .Values.traces.endpoint) -}}
{{- fail "traces.endpoint: required, because traces.existingSecret.name is set" -}}
{{- end -}}
{{- with .Values.mqttBridge -}}
{{- if and .enabled (not .mqttUrl) }}{{ fail "mqttBridge.mqttUrl: required, because mqttBridge.enabled is true" }}{{ end -}}
{{- if and .enabled (not .existingSecret.name) }}{{ fail "mqttBridge.existingSecret.name: required, because mqttBridge.enabled is true" }}{{ end -}}
{{- if and .ca.secretName .ca.configMapName }}{{ fail "mqttBridge.ca: name a Secret or a ConfigMap, not both" }}{{ end -}}
{{- if and (or .ca.secretName .ca.configMapName) (not (regexMatch "^(mqtts|wss):" .mqttUrl)) -}}
{{- fail "mqttBridge.ca: set, though mqttBridge.mqttUrl uses no TLS" -}}
{{- end -}}
{{- end -}}
{{- with .Values.probe -}}
{{- if and .enabled (not .existingSecret.name) }}{{ fail "probe.existingSecret.name: required, because probe.enabled is true" }}{{ end -}}
{{- if and .enabled (not .baseUrl) (not (include "perch.publicUrl" $)) }}{{ fail "probe.baseUrl: required, because probe.enabled is true and there is no publicUrl" }}{{ end -}}
{{- end -}}
{{- if and .Values.ingress.enabled .Values.httpRoute.enabled -}}
{{- fail "ingress.enabled and httpRoute.enabled: enable one of them; trustProxy would count wrongly for one of both" -}}
{{- end -}}
{{- if .Values.ingress.enabled -}}
{{- if not .Values.ingress.gateway.host }}{{ fail "ingress.gateway.host: required, because ingress.enabled is true" }}{{ end -}}
{{- if not .Values.ingress.robotLink.host }}{{ fail "ingress.robotLink.host: required, because ingress.enabled is true" }}{{ end -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.parentRefs: required, because httpRoute.enabled is true" -}}
{{- end -}}
{{- end -}}

{{/* Names of the settings whose value is a secret, separated by spaces. */}}
{{- define "perch.secretSettings" -}}
{{- (.Files.Get "files/secret-settings.yaml" | fromYaml).names | join " " -}}
{{- end -}}
