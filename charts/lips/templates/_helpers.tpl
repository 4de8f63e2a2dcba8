{{- define "lips.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "lips.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains (include "lips.name" .) .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "lips.name" .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "lips.selector" -}}
app.kubernetes.io/name: {{ include "lips.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "lips.labels" -}}
{{ include "lips.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Of what `helm test` makes. Not the operator's selector: its Service must not lead there. */}}
{{- define "lips.testLabels" -}}
app.kubernetes.io/name: {{ include "lips.name" . }}-test
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Before the pod of the test, and gone once it has ended well. */}}
{{- define "lips.testRights" -}}
helm.sh/hook: test
helm.sh/hook-weight: "-1"
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{/* Kubernetes' own class only where every cluster takes it. */}}
{{- define "lips.priorityClass" -}}
{{- if .Values.priorityClassName -}}
{{ .Values.priorityClassName }}
{{- else if eq .Release.Namespace "kube-system" -}}
system-cluster-critical
{{- else if .Values.priorityClass.create -}}
{{ include "lips.fullname" . }}
{{- end -}}
{{- end -}}

{{/* Not empty where no two replicas may run on one node. One replica would keep its own successor away. */}}
{{- define "lips.hostsOfTheirOwn" -}}
{{- if and (gt (int .Values.replicas) 1) (eq .Values.spread.hosts "required") (not .Values.affinity) -}}yes{{- end -}}
{{- end -}}

{{/* Not empty where the operator may only read. */}}
{{- define "lips.watchOnly" -}}
{{- if .Values.rbac.watchOnly -}}
{{- if or (ne (dig "mode" "watch" .Values.config) "watch") .Values.steer.gate -}}
{{- fail "rbac.watchOnly is for config.mode watch without steer.gate: every other mode changes pods" -}}
{{- end -}}yes
{{- end -}}
{{- end -}}

{{/* The fields of the installed custom resource definitions that this chart has and the cluster has not: "Pool: status.lent, ...". */}}
{{- define "lips.staleDefinitions" -}}
{{- range $plural := list "datasets" "datastores" "pools" "datamoves" -}}
{{- $ours := fromYaml ($.Files.Get (printf "crds/lips.dev_%s.yaml" $plural)) -}}
{{- $theirs := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" (printf "%s.lips.dev" $plural) -}}
{{- if and $ours $theirs -}}
{{- $missing := list -}}
{{- range $part := list "spec" "status" -}}
{{- $has := dig "schema" "openAPIV3Schema" "properties" $part "properties" dict (first $theirs.spec.versions) -}}
{{- range $field, $_ := dig "schema" "openAPIV3Schema" "properties" $part "properties" dict (first $ours.spec.versions) -}}
{{- if not (hasKey $has $field) -}}{{- $missing = append $missing (printf "%s.%s" $part $field) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- with $missing }}
  {{ $ours.spec.names.kind }}: {{ join ", " . }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "lips.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "lips.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- required "serviceAccount.name is required when serviceAccount.create is false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Where the Jobs that copy data run, and the pods that serve stores. */}}
{{- define "lips.moveNamespace" -}}
{{- default (printf "%s-moves" .Release.Namespace) .Values.moves.namespace -}}
{{- end -}}

{{- define "lips.keySecret" -}}
{{- dig "moves" "keySecret" "" .Values.config | default "lips-store-key" -}}
{{- end -}}

{{- define "lips.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "lips.leaseNamespace" -}}
{{- dig "leaderElection" "namespace" "" .Values.config | default .Release.Namespace -}}
{{- end -}}

{{- define "lips.leaseName" -}}
{{- dig "leaderElection" "name" "" .Values.config | default "lips" -}}
{{- end -}}

{{/* The configuration file: the values' config with what the chart itself decides. */}}
{{- define "lips.config" -}}
{{- $own := dict "apiVersion" "config.lips.dev/v1alpha1" "kind" "OperatorConfig" -}}
{{- $_ := set $own "server" (dict "listen" (printf "0.0.0.0:%d" (int .Values.service.port)) "health" (printf "0.0.0.0:%d" (int .Values.healthPort))) -}}
{{- $moves := dict "namespace" (include "lips.moveNamespace" .) -}}
{{- with .Values.moves.podSpec -}}
{{- $_ := set $moves "podSpec" (toJson .) -}}
{{- end -}}
{{- if .Values.rbac.watchOnly -}}
{{- $_ := set $moves "unownedEvery" "0s" -}}
{{- end -}}
{{- $_ := set $own "moves" $moves -}}
{{- if .Values.journal.enabled -}}
{{- $_ := set $own "journal" (dict "directory" "/var/lib/lips/journal") -}}
{{- end -}}
{{- if .Values.prices -}}
{{- $_ := set $own "prices" (dict "file" "/etc/lips/prices.csv") -}}
{{- end -}}
{{- if .Values.expected -}}
{{- $_ := set $own "expected" (dict "file" "/etc/lips/expected.yaml") -}}
{{- end -}}
{{- mergeOverwrite (deepCopy .Values.config) $own | toYaml -}}
{{- end -}}

{{/* A digest of the settings that a running operator does not take over: with another one its pods are replaced, so that
     its mode and the gates are always of one release. docs/operator.md says which keys are live. */}}
{{- define "lips.restartsFor" -}}
{{- $config := omit (fromYaml (include "lips.config" .)) "fallBack" "policy" "prices" "commitments" "expected" -}}
{{- $live := dict "server" (list "stalledAfter") "journal" (list "size" "leastInterval" "timeShare") "twin" (list "every" "window" "policies") "log" (list "level") -}}
{{- range $key, $names := $live -}}
{{- $rest := deepCopy (dig $key dict $config) -}}
{{- range $names -}}{{- $_ := unset $rest . -}}{{- end -}}
{{- $_ := set $config $key $rest -}}
{{- end -}}
{{- toYaml $config | sha256sum | trunc 16 -}}
{{- end -}}

{{- define "lips.schedulerName" -}}
{{- dig "schedulerName" "" .Values.config | default "lips" -}}
{{- end -}}

{{/* Whether new pods get the scheduling gate: not empty where the operator steers, or a Pool does. */}}
{{- define "lips.gates" -}}
{{- if or (eq (dig "mode" "watch" .Values.config) "steer") .Values.steer.gate -}}yes{{- end -}}
{{- end -}}

{{/* The newest version that the API server serves; `helm template` does not know. */}}
{{- define "lips.mutatingPolicyVersion" -}}
{{- $group := "admissionregistration.k8s.io" -}}
{{- $found := .Values.steer.apiVersion -}}
{{- range list "v1alpha1" "v1beta1" "v1" -}}
{{- if and (not $.Values.steer.apiVersion) ($.Capabilities.APIVersions.Has (printf "%s/%s/MutatingAdmissionPolicy" $group .)) -}}
{{- $found = . -}}
{{- end -}}
{{- end -}}
{{- printf "%s/%s" $group (required "the API server serves no MutatingAdmissionPolicy (Kubernetes 1.36, or its feature gate before); steer.apiVersion names one for `helm template`" $found) -}}
{{- end -}}

{{/* Kubernetes' own namespaces and those of the release are never among them. */}}
{{- define "lips.gatedNamespaces" -}}
{{- $selector := deepCopy .Values.steer.namespaceSelector -}}
{{- $never := list "kube-system" "kube-public" "kube-node-lease" .Release.Namespace (include "lips.moveNamespace" .) | uniq -}}
{{- $rule := dict "key" "kubernetes.io/metadata.name" "operator" "NotIn" "values" $never -}}
{{- $_ := set $selector "matchExpressions" (append (default list $selector.matchExpressions) $rule) -}}
{{- toYaml $selector -}}
{{- end -}}
