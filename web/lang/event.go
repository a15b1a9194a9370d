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
	case "queued":
		return t.pick("queued", "进入排队")
	case "rented", "requested", "created":
		return t.pick("rented", "已租用")
	case "starting":
		return t.pick("starting", "启动中")
	case "started":
		return t.pick("started", "已启动")
	case "healthy", "running":
		return t.pick("healthy, billing began", "已就绪，开始计费")
	case "suspended":
		return t.pick("suspended", "已挂起")
	case "resumed":
		return t.pick("resumed", "已恢复")
	case "extended":
		return t.pick("end moved", "结束时间已延后")
	case "stop_requested", "stopping":
		return t.pick("stop asked for", "请求停止")
	case "stopped":
		return t.pick("stopped, nothing is left of it", "已停止，无残留")
	case "failed":
		return t.pick("failed", "失败")
	case "unreachable", "node_lost":
		return t.pick("node does not answer, billing stopped", "节点无响应，暂停计费")
	case "reachable", "node_back":
		return t.pick("node answers again", "节点恢复响应")
	case "adopted":
		return t.pick("found running after a restart of the console", "控制台重启后接管，实例一直在运行")
	}
	return strings.ReplaceAll(kind, "_", " ")
}
