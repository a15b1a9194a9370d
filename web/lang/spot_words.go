package lang

// errorsOfSpot are about what is rented as spot, and its prices.
var errorsOfSpot = map[string]pair{
	"spot_price_moves":      {"The spot price follows from the price on demand and from how full the pool is. Set the minimum of the pool instead.", "竞价价格由按需价格与资源池使用率决定。请改为设置资源池的最低比例。"},
	"spot_minimum_wrong":    {"The minimum is 10 to 100 percent of the price on demand.", "最低比例为按需价格的 10% 到 100%。"},
	"checkpoint_needs_spot": {"Only a spot instance is given notice, so only that can have a checkpoint command.", "只有竞价实例会收到回收通知，因此只有竞价实例可设置检查点命令。"},
	"pool_not_found":        {"There is no pool {id}.", "没有资源池 {id}。"},
	"promise_needs_queued":  refusedByRule,
	"gpu_promised":          {"The GPU is kept for an instance that waits for it.", "该 GPU 已为等待中的实例保留。"},
}

// spotEvent says what happened to an instance because GPUs are taken back from spot instances; ok is false for other kinds.
func (t T) spotEvent(kind string, args map[string]string) (text string, ok bool) {
	switch kind {
	case "reclaim_notice":
		return t.pick("reclaimed: "+t.neededBy(args["for"])+", it ends at "+args["until"], "开始回收："+t.neededBy(args["for"])+"，将于 "+args["until"]+" 结束"), true
	case "reclaim_step":
		return t.pick(args["signal"]+" was sent", "已发送 "+args["signal"]), true
	case "checkpoint_began":
		return t.pick("the checkpoint command began", "检查点命令已开始"), true
	case "checkpoint_ended":
		return t.pick("the checkpoint command ended with status "+args["code"], "检查点命令已结束，退出状态 "+args["code"]), true
	case "checkpoint_failed":
		return t.with(t.pick("the checkpoint command could not be run", "检查点命令无法运行"), args["detail"]), true
	case "requeued":
		return t.pick("the job is in the queue again, as "+args["instance"], "任务已重新排队，新实例 "+args["instance"]), true
	case "queued_again":
		return t.pick("in the queue again after "+args["instance"]+" was reclaimed", args["instance"]+" 被回收后重新排队"), true
	case "gpus_promised":
		return t.pick("GPUs are kept for it while spot instances give them back", "竞价实例归还 GPU 期间，已为其保留 GPU"), true
	case "promise_lost":
		return t.pick("the GPUs kept for it can't be had, it waits for others", "为其保留的 GPU 无法使用，继续等待其他 GPU"), true
	}
	return "", false
}

func (t T) neededBy(why string) string {
	switch why {
	case "reserved", "reservation":
		return t.pick("a reservation needs its GPUs", "预留需要其 GPU")
	case "maintenance", "drain":
		return t.pick("its node is to be empty", "所在节点需要清空")
	}
	return t.pick("an instance on demand needs its GPUs", "按需实例需要其 GPU")
}
