package process

import (
	"context"

	"github.com/meterhouse/meterhouse/gpu"
)

// Limits says what this machine can enforce, and of the rest why not and what to do.
func (e *Executor) Limits(ctx context.Context) []gpu.Limit {
	e.machine(ctx)
	kind := "cgroup version 1"
	if e.plan.V2 {
		kind = "cgroup version 2"
	}
	var limits []gpu.Limit
	for _, name := range []string{"cpu", "memory", "pids"} {
		l := gpu.Limit{Name: name, Enforced: e.plan.has(name), Detail: kind}
		if !l.Enforced {
			l.Detail = e.plan.Missing[name]
		}
		limits = append(limits, l)
	}
	limits = append(limits,
		gpu.Limit{Name: "disk", Enforced: true, Detail: "what an instance writes is counted each second; one that is over its limit is ended"},
		e.deviceLimit(kind))
	apart, user := gpu.Limit{Name: "namespaces", Enforced: true, Detail: "mount, pid, ipc and uts"}, gpu.Limit{Name: "user", Enforced: true, Detail: "each instance has a user of its own"}
	switch e.level {
	case levelUser:
		apart.Detail = "mount, pid, ipc and uts, inside a user namespace"
		user = gpu.Limit{Name: "user", Detail: "instances run as the console's own user: run the console as root, and each gets one of its own"}
	case levelPlain:
		apart = gpu.Limit{Name: "namespaces", Detail: "instances see each other and the console's files (" + e.why + "): run the console as root, or allow user namespaces"}
		user = gpu.Limit{Name: "user", Detail: "instances run as the console's own user, which needs namespaces to be safe: run the console as root"}
	}
	limits = append(limits, apart, user, e.socketLimit(), e.egressLimit())
	if e.enclosure != nil {
		limits = append(limits, e.enclosure.Limits(ctx)...)
	}
	return limits
}

func (e *Executor) deviceLimit(kind string) gpu.Limit {
	l := gpu.Limit{Name: "devices", Enforced: true}
	grouped := e.plan.has("devices")
	switch {
	case e.level != levelPlain && grouped:
		l.Detail = "device files of GPUs that were not granted are closed by " + kind + " and by mount"
	case e.level != levelPlain:
		l.Detail = "device files of GPUs that were not granted are closed by mount"
	case grouped:
		l.Detail = "device files of GPUs that were not granted are closed by " + kind
	default:
		l.Enforced = false
		l.Detail = "only environment variables hide the other GPUs: run the console as root, or allow user namespaces"
	}
	return l
}
