// A pod and a node as an API server writes them.
#pragma once

#include <string>

namespace lips::kubernetes {

inline const std::string sample_pod = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"wordcount-7-x2x9k",
"generateName":"wordcount-7-","namespace":"analytics","uid":"5f0c1a52-64f5-4ac5-8c53-0f2f6f4f0c11","resourceVersion":"48213",
"generation":1,"creationTimestamp":"2026-03-01T10:00:00Z","labels":{"batch.kubernetes.io/job-name":"wordcount",
"lips.dev/pool":"research"},"annotations":{"batch.kubernetes.io/job-completion-index":"7","lips.dev/dataset":"logs",
"lips.dev/cpu-seconds-per-mebibyte":"0.25","other/note":"x"},"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job",
"name":"wordcount","uid":"b0a1","controller":true,"blockOwnerDeletion":true}],"finalizers":["batch.kubernetes.io/job-tracking"],
"managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"2026-03-01T10:00:00Z",
"fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"map\"}":{}}}}}]},
"spec":{"volumes":[{"name":"kube-api-access","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}]}},
{"name":"scratch","persistentVolumeClaim":{"claimName":"scratch"}}],
"initContainers":[{"name":"fetch","image":"busybox","resources":{"requests":{"cpu":"200m","memory":"1152Mi"}}}],
"containers":[{"name":"map","image":"wordcount:1","command":["map"],"env":[{"name":"LIPS_INPUT","valueFrom":{"fieldRef":
{"apiVersion":"v1","fieldPath":"metadata.annotations['lips.dev/input']"}}}],"resources":{"limits":{"cpu":"1","memory":"1Gi"},
"requests":{"cpu":"500m","memory":"512Mi"}},"volumeMounts":[{"name":"kube-api-access","readOnly":true,"mountPath":"/var/run"}],
"terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"},
{"name":"report","image":"report:1","resources":{"requests":{"cpu":"0.25","memory":"256Mi"}}}],
"restartPolicy":"Never","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default",
"nodeSelector":{"kubernetes.io/arch":"amd64"},
"securityContext":{},"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
{"matchExpressions":[{"key":"topology.kubernetes.io/zone","operator":"In","values":["zone-a","zone-b"]}]},
{"matchFields":[{"key":"metadata.name","operator":"In","values":["worker-3"]}]}]},
"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}]}},
"schedulerName":"lips","tolerations":[{"key":"lips.dev/spot","operator":"Exists","effect":"NoSchedule"},
{"key":"dedicated","operator":"Equal","value":"batch"}],"priority":1000,"enableServiceLinks":true,
"preemptionPolicy":"PreemptLowerPriority","schedulingGates":[{"name":"lips.dev/data"}]},
"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","lastProbeTime":null,
"lastTransitionTime":"2026-03-01T10:00:00Z","reason":"SchedulingGated","message":"waits"}],"qosClass":"Burstable"}})";

inline const std::string sample_node = R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"worker-3",
"uid":"0d7f","resourceVersion":"991","creationTimestamp":"2026-03-01T08:00:00Z","labels":{"kubernetes.io/arch":"amd64",
"node.kubernetes.io/instance-type":"m5.xlarge","topology.kubernetes.io/zone":"us-east-1a"},
"annotations":{"lips.dev/usd-per-hour":"0.192","volumes.kubernetes.io/controller-managed-attach-detach":"true"}},
"spec":{"podCIDR":"10.244.3.0/24","providerID":"aws:///us-east-1a/i-0abc","unschedulable":true,"taints":[
{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule","timeAdded":"2026-03-01T09:00:00Z"},
{"key":"dedicated","value":"batch","effect":"NoExecute"}]},
"status":{"capacity":{"cpu":"4","memory":"16Gi","pods":"110"},"allocatable":{"cpu":"3920m","ephemeral-storage":"19316009748",
"hugepages-2Mi":"0","memory":"15448644Ki","pods":"110"},"conditions":[{"type":"MemoryPressure","status":"False"},
{"type":"Ready","status":"True","reason":"KubeletReady"}],"addresses":[{"type":"Hostname","address":"worker-3"},
{"type":"InternalIP","address":"10.0.3.17"}],"nodeInfo":{"kubeletVersion":"v1.36.3"}}})";

}  // namespace lips::kubernetes
