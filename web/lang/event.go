package lang

import "strings"

// Event says what happened to an instance, and by whom where a person did it. An unknown kind is shown as it is, with
// spaces for its underscores.
func (t T) Event(kind, actor string, args map[string]string) string {
	text := t.eventText(kind, args)
	if actor != "" {
		return t.pick(text+" by "+actor, text+"（"+actor+"）")
	}
	return text
}

func (t T) eventText(kind string, args map[string]string) string {
	switch kind {
	case "rented":
		if args["state"] == "queued" {
			return t.pick("rented, waits in the queue", "已租用，进入排队")
		}
		return t.pick("rented", "已租用")
	case "price_locked":
		return t.pick("starts at the price of now, "+args["is"]+" an hour; it was "+args["was"]+" when it was asked for", "按当前价格 "+args["is"]+"/小时启动；提交时为 "+args["was"])
	case "placed":
		return t.pick("got its GPUs", "已分配 GPU")
	case "running":
		return t.pick("healthy, billing began", "已就绪，开始计费")
	case "start_failed":
		return t.with(t.pick("could not be started", "启动失败"), args["why"])
	case "suspended":
		return t.pick("suspended", "已挂起")
	case "resumed":
		return t.pick("resumed", "已恢复")
	case "reserved_after":
		return t.pick("a reservation begins then: hard end set to "+args["until"], "届时有预留开始：强制结束时间设为 "+args["until"])
	case "ends_before":
		if args["because"] == "maintenance" || args["because"] == "drain" {
			return t.pick("hard end set to "+args["until"]+": "+t.EndsWhy(args["because"]), "强制结束时间设为 "+args["until"]+"："+t.EndsWhy(args["because"]))
		}
		return t.pick("hard end set to "+args["until"]+" again", "强制结束时间恢复为 "+args["until"])
	case "end_lifted":
		return t.pick("hard end lifted: its node stays in service", "已取消强制结束时间：所在节点继续服务")
	case "reservation_extended":
		return t.pick("its reservation was extended: hard end set to "+args["until"], "预留已延长：强制结束时间设为 "+args["until"])
	case "ends_soon":
		return t.pick("ends in "+args["minutes"]+" min, at "+args["until"], "将在 "+args["minutes"]+" 分钟后结束，时间 "+args["until"])
	case "extended":
		if args["until"] == "" {
			return t.pick("hard end taken away", "已取消强制结束时间")
		}
		return t.pick("hard end moved to "+args["until"], "强制结束时间改为 "+args["until"])
	case "stop_requested":
		return t.stopText(args["reason"])
	case "processes_ended":
		return t.with(t.pick("its processes ended, billing ended", "进程已结束，停止计费"), args["detail"])
	case "ended":
		if args["notes"] != "" {
			return t.with(t.pick("ended, but something is left on its GPUs", "已结束，但 GPU 上有残留"), args["notes"])
		}
		return t.pick("ended, nothing is left of it", "已结束，无残留")
	case "budget_stops":
		return t.pick("the budget "+args["budget"]+" is used up: it is stopped at "+args["at"]+" unless the budget is raised", "预算 "+args["budget"]+" 已用完：若不提高额度，将于 "+args["at"]+" 停止")
	case "budget_stop_off":
		return t.pick("goes on: the budget "+args["budget"]+" has money again", "继续运行：预算 "+args["budget"]+" 已有余额")
	case "unreachable":
		return t.with(t.pick("no sign of life of it any more, billing paused", "不再有存活证明，暂停计费"), args["detail"])
	case "reachable":
		return t.pick("it was found again, it ran on", "已恢复联系，实例一直在运行")
	case "gone":
		return t.pick("it was found to be gone", "已确认实例不存在")
	case "adopted":
		return t.pick("found running after a restart of the console", "控制台重启后接管，实例一直在运行")
	}
	if text, ok := t.spotEvent(kind, args); ok {
		return text
	}
	if text, ok := t.idleEvent(kind, args); ok {
		return text
	}
	if gpu, ok := strings.CutPrefix(kind, "gpu_"); ok {
		return t.gpuEvent(gpu, args)
	}
	return strings.ReplaceAll(kind, "_", " ")
}

// with adds a detail that comes from a program, after a colon.
func (t T) with(text, detail string) string {
	if detail == "" {
		return text
	}
	return text + t.pick(": ", "：") + detail
}

func (t T) stopText(reason string) string {
	switch reason {
	case "reservation":
		return t.pick("its GPUs are reserved from now on", "其 GPU 自此已被预留")
	case "reservation_ends":
		return t.pick("its reservation is over", "其预留已结束")
	case "maintenance":
		return t.pick("maintenance of its node begins", "所在节点开始维护")
	case "drain":
		return t.pick("its node is emptied", "所在节点清空")
	case "hard_end":
		return t.pick("hard end reached", "已到强制结束时间")
	case "command_ended":
		return t.pick("its command ended", "命令已结束")
	case "node_lost":
		return t.pick("its node is lost", "节点已丢失")
	case "start_failed":
		return t.pick("could not be started", "启动失败")
	case "budget":
		return t.pick("budget spent", "预算已用完")
	case "idle":
		return t.pick("idle for too long", "空闲时间过长")
	case "cancelled":
		return t.pick("cancelled", "已取消")
	case "reclaimed":
		return t.pick("reclaimed", "已回收")
	case "reservation_over":
		return t.pick("its reservation is over", "预留已结束")
	}
	return t.pick("stop asked for", "请求停止")
}

func (t T) gpuEvent(kind string, args map[string]string) string {
	name := "GPU " + args["index"]
	switch kind {
	case "lost":
		return t.pick(name+" does not answer", name+" 无响应")
	case "back":
		return t.pick(name+" answers again", name+" 恢复响应")
	case "xid":
		return t.with(t.pick(name+" reported error "+args["code"], name+" 报告错误 "+args["code"]), args["detail"])
	case "mismatch":
		return t.pick("driver and library versions differ; it runs on", "驱动与库的版本不一致，实例继续运行")
	}
	return name + " " + kind
}
