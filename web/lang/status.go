package lang

// InstanceStatus is an instance's state in words.
func (t T) InstanceStatus(status string) string {
	switch status {
	case "queued":
		return t.pick("queued", "排队中")
	case "starting":
		return t.pick("starting", "启动中")
	case "running":
		return t.pick("running", "运行中")
	case "suspended":
		return t.pick("suspended", "已挂起")
	case "stopping":
		return t.pick("stopping", "停止中")
	case "stopped":
		return t.pick("stopped", "已停止")
	case "failed":
		return t.pick("failed", "失败")
	case "unreachable":
		return t.pick("unreachable", "失联")
	case "reclaiming":
		return t.pick("being reclaimed", "回收中")
	}
	return status
}

// StatusFilter is a choice of the list's filter.
func (t T) StatusFilter(filter string) string {
	switch filter {
	case "":
		return t.All()
	case "live":
		return t.pick("Not over", "未结束")
	}
	return t.InstanceStatus(filter)
}

// Kind is how an instance is rented.
func (t T) Kind(kind string) string {
	switch kind {
	case "on_demand":
		return t.pick("on demand", "按需")
	case "reserved":
		return t.pick("reserved", "预留")
	case "spot":
		return t.pick("spot", "竞价")
	case "storage":
		return t.pick("storage", "存储")
	}
	return kind
}

// GPUState is what becomes of a GPU.
func (t T) GPUState(state string) string {
	switch state {
	case "free":
		return t.pick("free", "空闲")
	case "rented":
		return t.pick("rented", "已租出")
	case "kept":
		return t.pick("kept back", "已保留")
	case "drain":
		return t.pick("draining", "排空中")
	case "fenced":
		return t.pick("fenced", "已隔离")
	case "lost":
		return t.pick("lost", "失联")
	case "quarantined":
		return t.pick("quarantined", "待清理")
	case "driver_mismatch":
		return t.pick("driver mismatch", "驱动不一致")
	}
	return state
}

// NodeState is whether a node answers, and takes new instances.
func (t T) NodeState(state string) string {
	if state == "up" {
		return t.pick("up", "在线")
	}
	return t.pick("unreachable", "失联")
}

// RunStatus is a benchmark run's state.
func (t T) RunStatus(status string) string {
	switch status {
	case "queued":
		return t.pick("queued", "排队中")
	case "running":
		return t.pick("running", "运行中")
	case "done":
		return t.pick("done", "完成")
	case "unstable":
		return t.pick("unstable", "不稳定")
	case "wrong":
		return t.pick("wrong result", "结果错误")
	case "failed":
		return t.pick("failed", "失败")
	case "cancelled":
		return t.pick("cancelled", "已取消")
	}
	return status
}
