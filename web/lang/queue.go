package lang

import (
	"fmt"
	"strconv"
	"strings"
)

var errorsOfQueue = map[string]pair{
	"weight_out_of_range": {"A weight is a whole number from 1 to {max}; 100 is the usual.", "权重为 1 到 {max} 的整数，通常为 100。"},
}

func (t T) NavQueue() string   { return t.pick("Queue", "排队") }
func (t T) QueueTitle() string { return t.pick("Queue", "排队") }
func (t T) QueueLead() string {
	return t.pick("who is served next when GPUs are short, and why", "GPU 不足时的服务顺序及原因")
}
func (t T) QueueEmpty() string { return t.pick("Nobody waits.", "当前没有排队。") }
func (t T) QueueCount(n int) string {
	if n == 1 {
		return t.pick("1 waits", "1 个在排队")
	}
	return t.pick(fmt.Sprintf("%d wait", n), fmt.Sprintf("%d 个在排队", n))
}
func (t T) QueuePlaceHeading() string { return t.pick("Place", "位次") }
func (t T) QueueWhyHeading() string   { return t.pick("Why it waits", "等待原因") }
func (t T) QueueStartHeading() string { return t.pick("Starts about", "预计启动") }
func (t T) QueueAtOnce() string       { return t.pick("at once", "立即") }
func (t T) QueueNotKnown(why string) string {
	return t.pick("not known: "+why, "未知："+why)
}
func (t T) QueueUntil() string { return t.pick("until", "至") }
func (t T) QueueAhead() string { return t.pick("Ahead of it", "排在前面") }
func (t T) QueueWhole() string { return t.pick("See the whole queue", "查看完整队列") }
func (t T) QueuePlaceOf(place int, model string) string {
	return t.pick(fmt.Sprintf("Place %d in the queue for %s", place, model), fmt.Sprintf("%s 排队第 %d 位", model, place))
}

// QueueOther names what another team has, of which no more is said.
func (t T) QueueOther(team string) string {
	return t.pick("an instance of "+team, team+" 的实例")
}
func (t T) QueueSince(d string) string { return t.pick("waits for "+d, "已等待 "+d) }
func (t T) QueueAged() string {
	return t.pick("over 24 hours: before all who waited less", "已超过 24 小时：排在等待更短者之前")
}
func (t T) QueueCancel() string                { return t.pick("Give up…", "放弃排队…") }
func (t T) QueueCancelName(name string) string { return t.pick("Give up "+name, "放弃 "+name) }

// QueueWhy says why an instance waits; behind are the places that the free GPUs are for.
func (t T) QueueWhy(reason string, behind []int, gpus int) string {
	switch reason {
	case "":
		return t.pick("It is its turn.", "轮到它了。")
	case "no_gpus":
		if gpus == 0 {
			return t.pick("All places for CPU-only work are taken.", "仅 CPU 的名额已占满。")
		}
		return t.pick(fmt.Sprintf("No node has %s free.", t.gpuCount(gpus)), fmt.Sprintf("没有节点空闲 %d 块 GPU。", gpus))
	case "behind":
		return t.pick("What is free is for "+t.placesEnglish(behind)+".", "空闲的 GPU 留给第 "+joined(behind, "、", "、")+" 位。")
	case "reserved_soon":
		return t.pick("What is free is reserved, or too soon will be.", "空闲的 GPU 已被预留，或即将被预留。")
	case "promised":
		return t.pick("What is free was taken back from spot instances for somebody else.", "空闲的 GPU 是为他人从竞价实例收回的。")
	case "reclaim":
		return t.pick("Spot instances are giving it their GPUs.", "竞价实例正在为它让出 GPU。")
	case "budget":
		return t.pick("A budget is used up. It waits until more may be spent, and holds up nobody.", "预算已用完。可继续支出前一直等待，但不会挡住他人。")
	case "quota":
		return t.pick("A quota is reached. It waits until less is in use, and holds up nobody.", "已达到配额。用量降低前一直等待，但不会挡住他人。")
	case "node_down":
		return t.pick("Enough would be free on a node that is down or takes no new work.", "有节点资源足够，但该节点已离线或不接收新任务。")
	}
	return reason
}

func (t T) gpuCount(n int) string {
	if n == 1 {
		return "a GPU"
	}
	return strconv.Itoa(n) + " GPUs"
}

func (t T) placesEnglish(places []int) string {
	if len(places) == 1 {
		return "place " + strconv.Itoa(places[0])
	}
	return "places " + joined(places, ", ", " and ")
}

// joined writes numbers one after another; from the seventh on they are left out.
func joined(numbers []int, between, last string) string {
	texts := make([]string, 0, len(numbers))
	for _, n := range numbers {
		texts = append(texts, strconv.Itoa(n))
	}
	if len(texts) > 6 {
		return strings.Join(texts[:6], between) + " …"
	}
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:len(texts)-1], between) + last + texts[len(texts)-1]
}

// QueueFair says how a team's use compares with its fair share, and what follows.
func (t T) QueueFair(fair string) string {
	switch fair {
	case "less":
		return t.pick("used less than its share: comes sooner", "用量低于份额：优先")
	case "even":
		return t.pick("used about its share", "用量与份额相当")
	case "more":
		return t.pick("used more than its share: comes later", "用量超过份额：靠后")
	}
	return ""
}
func (t T) QueueShares(model string) string {
	return t.pick("Fair share of "+model, model+" 的公平份额")
}
func (t T) QueueSharesNote() string {
	return t.pick("Of the teams that used these GPUs in the last weeks or wait for them. What was used a week ago counts half, two weeks ago a quarter.",
		"统计最近几周使用过或正在等待这些 GPU 的团队。一周前的用量按一半计，两周前按四分之一计。")
}
func (t T) QueueShare() string  { return t.pick("Fair share", "公平份额") }
func (t T) QueueUsed() string   { return t.pick("Used", "已用") }
func (t T) QueueMeans() string  { return t.pick("So it", "结果") }
func (t T) QueueOthers() string { return t.pick("all other teams", "其他团队合计") }
func (t T) QueueGPUTime(d string) string {
	return t.pick(d+" of GPU time", "GPU 时间 "+d)
}
func (t T) QueueWeight() string  { return t.pick("Weight", "权重") }
func (t T) QueueWeights() string { return t.pick("Weights of the teams", "团队权重") }
func (t T) QueueWeightsNote() string {
	return t.pick("A team's fair share is its weight as a part of the weights of all who want the same GPUs. 100 is the usual; 200 is twice as much.",
		"团队的公平份额为其权重在所有需要同一批 GPU 的团队权重之和中的占比。通常为 100；200 即两倍。")
}
func (t T) QueueWeightSave(team string) string {
	return t.pick("Save the weight of "+team, "保存 "+team+" 的权重")
}
