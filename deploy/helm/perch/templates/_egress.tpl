{{/* Where pods may connect to, as rules and peers of NetworkPolicies. */}}

{{/* DNS, which all pods need. */}}
{{- define "perch.dnsEgress" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns.to | nindent 4 }}
  ports:
    - {port: 53, protocol: UDP}
    - {port: 53, protocol: TCP}
{{- end -}}

{{/* DNS and Redis, which the pods of the four services and of the command-line tool need. */}}
{{- define "perch.internalEgress" -}}
{{ include "perch.dnsEgress" . }}
- to:
    {{- toYaml .Values.networkPolicy.redis.to | nindent 4 }}
  ports:
    {{- range .Values.networkPolicy.redis.ports }}
    - {port: {{ int . }}, protocol: TCP}
    {{- end }}
{{- end -}}

{{/*
The addresses of the internet, as packages/schema/src/api/outside-url.ts has them: without private, shared, loopback, link-local, multicast and reserved ones.
Of IPv6 only 2000::/3 is given out: fc00::/7, fe80::/10, ::1 and the mapped IPv4 addresses are outside of it.
*/}}
{{- define "perch.publicAddresses" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      - 0.0.0.0/8
      - 10.0.0.0/8
      - 100.64.0.0/10
      - 127.0.0.0/8
      - 169.254.0.0/16
      - 172.16.0.0/12
      - 192.0.0.0/24
      - 192.0.2.0/24
      - 192.31.196.0/24
      - 192.52.193.0/24
      - 192.88.99.0/24
      - 192.168.0.0/16
      - 192.175.48.0/24
      - 198.18.0.0/15
      - 198.51.100.0/24
      - 203.0.113.0/24
      - 224.0.0.0/3
- ipBlock:
    cidr: 2000::/3
    except:
      - 2001::/23
      - 2001:db8::/32
      - 2002::/16
      - 2620:4f:8000::/48
      - 3fff::/20
{{- end -}}
