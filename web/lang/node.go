package lang

import "strconv"

// NodeService says what an admin wants of a node.
func (t T) NodeService(service string) string {
	switch service {
	case "open":
		return t.pick("in service", "服务中")
	case "cordoned":
		return t.pick("takes nothing new", "不接受新实例")
	case "draining":
		return t.pick("being emptied", "正在清空")
	case "drained":
		return t.pick("empty", "已清空")
	case "maintenance":
		return t.pick("in maintenance", "维护中")
	}
	return service
}

// NodeWhy says who closed a node, when and why.
func (t T) NodeWhy(by, at, reason string) string {
	text := t.pick("Since "+at, "自 "+at)
	if by != "" {
		text += t.pick(", by "+by, "，由 "+by)
	}
	if reason != "" {
		text += t.pick(": ", "：") + reason
	}
	return text
}
func (t T) NodeEmptyBy(at string) string {
	return t.pick("What still runs ends at "+at+".", "仍在运行的实例将于 "+at+" 结束。")
}
func (t T) NodesLead() string {
	return t.pick("The machines on which instances run. Another one joins by a token, which is good once.", "运行实例的机器。其他机器凭一次性令牌加入。")
}
func (t T) NodeUse(used, gpus, instances int) string {
	return t.pick(t.gpuUse(used, gpus)+" · "+plural(instances, "instance", "instances"), t.gpuUse(used, gpus)+" · "+strconv.Itoa(instances)+" 个实例")
}
func (t T) gpuUse(used, gpus int) string {
	if gpus == 0 {
		return t.pick("no GPU", "无 GPU")
	}
	return t.pick(strconv.Itoa(used)+" of "+strconv.Itoa(gpus)+" GPUs in use", "GPU 使用 "+strconv.Itoa(used)+"/"+strconv.Itoa(gpus))
}
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
func (t T) NodeGPUs() string              { return t.pick("GPUs", "GPU") }
func (t T) NodeSeen() string              { return t.pick("Heard of", "最后联系") }
func (t T) NodeLocal() string             { return t.pick("the console's own machine", "控制台所在机器") }
func (t T) NodeBuild(build string) string { return t.pick("version "+build, "版本 "+build) }
func (t T) NodeBuildHeading() string      { return t.pick("Version", "版本") }
func (t T) NodeExecutor() string          { return t.pick("Runs instances by", "运行方式") }
func (t T) NodeID() string                { return t.pick("ID", "编号") }
func (t T) NodeByConsole() string         { return t.pick("on the console's machine", "在控制台机器上") }
func (t T) NodeHappened() string          { return t.pick("What happened", "操作记录") }
func (t T) NodeNoGPUs() string {
	return t.pick("It has no GPU: instances without one run here.", "没有 GPU，可运行无 GPU 的实例。")
}
func (t T) NodeEmpty() string {
	return t.pick("Nothing that you may see runs here.", "这里没有你可以查看的实例。")
}
func (t T) NodeInstances(seen, all int) string {
	return t.pick(strconv.Itoa(seen)+" of "+strconv.Itoa(all)+" shown", "显示 "+strconv.Itoa(seen)+"/"+strconv.Itoa(all))
}

// NodeJoined says how a GPU is joined to others.
func (t T) NodeJoined(island, numa string) string {
	text := ""
	if island != "" {
		text = t.pick("NVLink island "+island, "NVLink 组 "+island)
	}
	if numa != "" {
		if text != "" {
			text += " · "
		}
		text += t.pick("NUMA node "+numa, "NUMA 节点 "+numa)
	}
	return text
}

func (t T) NodeServiceTitle() string { return t.pick("Take it out of service", "停止服务") }
func (t T) NodeServiceLead() string {
	return t.pick("Cordoned, nothing new starts and what runs goes on. To drain it is the same, and its page says when nothing is left.", "停止接受：不再启动新实例，已运行的继续。清空：同样不再启动，全部结束后页面会显示已清空。")
}
func (t T) NodeReason() string     { return t.pick("Reason", "原因") }
func (t T) NodeReasonHint() string { return t.pick("Everybody sees it.", "所有人可见。") }
func (t T) NodeDrainBy() string    { return t.pick("Empty by", "清空期限") }
func (t T) NodeDrainByHint() string {
	return t.pick("For a drain: what would last longer ends then, and its people are told 60, 15 and 5 minutes before. Without it, what runs ends by itself.", "用于清空：届时仍在运行的实例将结束，并在 60、15、5 分钟前通知。留空则等待其自行结束。")
}
func (t T) NodeCordon() string   { return t.pick("Cordon", "停止接受") }
func (t T) NodeDrain() string    { return t.pick("Drain", "清空") }
func (t T) NodeUncordon() string { return t.pick("Back into service", "恢复服务") }

func (t T) NodeMaintenance() string { return t.pick("Maintenance", "维护") }
func (t T) NodeNoWindows() string   { return t.pick("Nothing is planned.", "没有计划。") }
func (t T) NodeWindowLead() string {
	return t.pick("Nothing is placed into a window: what starts before has its beginning as its hard end. When it is over the node is in service again by itself.", "窗口内不安排任何实例：此前启动的实例以窗口开始为强制结束时间。窗口结束后节点自动恢复服务。")
}
func (t T) NodeForce() string { return t.pick("Give what is in the way notice", "通知占用者") }
func (t T) NodeForceHint() string {
	return t.pick("Instances get the beginning as their hard end, reservations by count get GPUs of other nodes. Without it, nothing is booked over them.", "实例以窗口开始为强制结束时间，按数量的预留改用其他节点的 GPU。不勾选则不会覆盖它们。")
}
func (t T) NodeWindowButton() string { return t.pick("Book the window", "预订窗口") }
func (t T) NodeWindowCancel(times string) string {
	return t.pick("Cancel the window "+times, "取消窗口 "+times)
}
func (t T) NodeLimits() string { return t.pick("Limits", "限制") }

func (t T) NodeRemove() string { return t.pick("Remove…", "移除…") }
func (t T) NodeRemoveAsk(name string) string {
	return t.pick("Remove "+name+"?", "移除 "+name+"？")
}
func (t T) NodeRemoveMeans(instances int) string {
	return t.pick("Its agent is refused from now on. "+plural(instances, "instance", "instances")+" on it end at their last proof of life. It comes back by another join token alone.",
		"其代理将被拒绝。其上 "+strconv.Itoa(instances)+" 个实例以最后一次存活证明为结束。只能凭新的令牌重新加入。")
}
func (t T) NodeRemoveButton(name string) string { return t.pick("Remove "+name, "移除 "+name) }

func (t T) NodeJoinTitle() string { return t.pick("Add a machine", "添加机器") }
func (t T) NodeJoinLead() string {
	return t.pick("The machine needs this same program and a way to this console.", "该机器需要安装本程序，并能访问本控制台。")
}
func (t T) NodeJoinNeedsTLS() string {
	return t.pick("Other machines reach a console by https alone: start it with --tls-cert and --tls-key, or behind a proxy with --public-url.", "其他机器只能通过 https 访问控制台：请使用 --tls-cert 和 --tls-key 启动，或在代理后使用 --public-url。")
}
func (t T) NodeJoinName() string { return t.pick("Name of the node", "节点名称") }
func (t T) NodeJoinNameHint() string {
	return t.pick("As the machine calls itself, if empty.", "留空则使用机器自身的名称。")
}
func (t T) NodeJoinMinutes() string { return t.pick("Good for, minutes", "有效期（分钟）") }
func (t T) NodeJoinButton() string  { return t.pick("Make a token", "生成令牌") }
func (t T) NodeJoinCommand() string {
	return t.pick("Give this on the machine", "在该机器上执行")
}
func (t T) NodeJoinOnce() string {
	return t.pick("It is shown this once. Whoever has it first becomes the node.", "仅显示这一次。先使用者即成为该节点。")
}

func (t T) NodeServiceDone(name, service string) string {
	return t.pick(name+": "+t.NodeService(service)+".", name+"："+t.NodeService(service)+"。")
}
func (t T) NodeWindowBooked(name string) string {
	return t.pick("Maintenance of "+name+" is booked.", "已预订 "+name+" 的维护。")
}
func (t T) NodeWindowCancelled() string {
	return t.pick("The window is cancelled.", "已取消窗口。")
}
func (t T) NodeRemoved(name string) string {
	return t.pick(name+" is removed: its agent is refused.", "已移除 "+name+"，其代理将被拒绝。")
}

// audits are the words for what the audit says was done, as far as a page shows it.
var audits = map[string]pair{
	"node_cordoned":         {"cordoned", "停止接受"},
	"node_draining":         {"drained", "清空"},
	"node_uncordoned":       {"back into service", "恢复服务"},
	"node_joined":           {"joined", "已加入"},
	"node_join_created":     {"join token made", "生成加入令牌"},
	"node_removed":          {"removed", "已移除"},
	"maintenance_booked":    {"maintenance booked", "预订维护"},
	"maintenance_cancelled": {"maintenance cancelled", "取消维护"},
	"ssh_opened":            {"entered by SSH", "通过 SSH 登录"},
	"token_created":         {"token made", "生成令牌"},
}

// Audited says what was done. What has no words is shown as it is, with spaces for its underscores.
func (t T) Audited(action string) string {
	if p, ok := audits[action]; ok {
		return t.pick(p.en, p.zh)
	}
	return t.Error(action, nil)
}
