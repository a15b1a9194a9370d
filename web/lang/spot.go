package lang

import "fmt"

func (t T) SpotTitle() string { return t.pick("Spot prices", "竞价价格") }
func (t T) SpotLead() string {
	return t.pick("Spot costs a part of the price on demand that follows how full the pool is. Whoever needs the GPUs gets them, after a notice of two minutes.",
		"竞价价格为按需价格的一部分，随资源池使用率变动。他人需要 GPU 时，提前两分钟通知后回收。")
}
func (t T) SpotLink() string {
	return t.pick("Spot prices and reclaims", "竞价价格与回收记录")
}
func (t T) SpotRules() string {
	return t.pick("The price moves by at most 2 % every 5 minutes and is locked when an instance is rented. Nothing is reclaimed in its first 15 minutes, and what is reclaimed in its first hour is free.",
		"价格每 5 分钟最多变动 2%，租用时锁定。实例启动后 15 分钟内不会被回收；首小时内被回收的实例免费。")
}
func (t T) SpotNow(percent string) string {
	return t.pick(percent+" of the price on demand", "按需价格的 "+percent)
}
func (t T) SpotUse() string       { return t.pick("Use, over 15 minutes", "使用率（15 分钟平均）") }
func (t T) SpotFloor() string     { return t.pick("At least", "最低比例") }
func (t T) SpotNextMove() string  { return t.pick("Next move", "下次变动") }
func (t T) SpotRiskTitle() string { return t.pick("Reclaims", "回收") }
func (t T) SpotReclaims() string {
	return t.pick("Reclaimed, last 30 days", "最近 30 天回收次数")
}
func (t T) SpotPriceOfGPU() string { return t.pick("One GPU an hour", "单 GPU 每小时") }

// SpotRisk says how often spot instances were reclaimed here; where nothing ran that is not known.
func (t T) SpotRisk(runs, reclaims int64, perDay string) string {
	if runs == 0 {
		return t.pick("not known yet: nothing ran as spot here in 30 days", "尚不清楚：最近 30 天没有竞价实例运行")
	}
	return t.pick(fmt.Sprintf("%d of %d instances, %s a day of running", reclaims, runs, perDay), fmt.Sprintf("%d / %d 个实例，平均每运行一天 %s 次", reclaims, runs, perDay))
}
func (t T) SpotPlot(model, low, high string) string {
	return t.pick("Spot price of "+model+" over a week, between "+low+" and "+high+" of the price on demand", model+" 一周的竞价价格，介于按需价格的 "+low+" 与 "+high+" 之间")
}

func (t T) RentKind() string { return t.pick("Kind", "类型") }
func (t T) RentKindOption(kind string) string {
	if kind == "spot" {
		return t.pick("spot: cheaper, can be reclaimed", "竞价：价格更低，可能被回收")
	}
	return t.pick("on demand: until it is stopped", "按需：直到停止")
}
func (t T) RequeueTick() string {
	return t.pick("Back to the queue if it is reclaimed", "被回收后重新排队")
}
func (t T) RequeueHint() string {
	return t.pick("Spot only. The command starts again in the same home directory; METERHOUSE_RUN says which run it is.", "仅限竞价。命令在同一主目录中重新开始；METERHOUSE_RUN 表示第几次运行。")
}
func (t T) CheckpointCommand() string { return t.pick("Checkpoint command", "检查点命令") }
func (t T) CheckpointHint() string {
	return t.pick("Spot only. Run when it is reclaimed, two minutes before the end. Programs that catch SIGUSR1 get it at that moment, SIGTERM comes 90 s later.",
		"仅限竞价。回收时运行，距结束两分钟。捕获 SIGUSR1 的程序同时收到该信号，90 秒后发送 SIGTERM。")
}
func (t T) QuoteSpot(percent, saved string) string {
	return t.pick(percent+" of the price on demand, locked when rented: "+saved+" less an hour", "按需价格的 "+percent+"，租用时锁定：每小时少 "+saved)
}
func (t T) StartsAfterNotice() string {
	return t.pick("in about 2 minutes: spot instances get notice to give it their GPUs", "约 2 分钟后：将通知竞价实例让出 GPU")
}

func (t T) ReclaimedIn() string {
	return t.pick("Reclaimed: it ends in", "正在回收，剩余时间")
}
func (t T) ReclaimedWhy(why string) string {
	return t.neededByStart(why)
}
func (t T) neededByStart(why string) string {
	if why == "reserved" || why == "reservation" {
		return t.pick("A reservation needs its GPUs.", "预留需要其 GPU。")
	}
	if why == "maintenance" || why == "drain" {
		return t.pick("Its node is to be empty.", "所在节点需要清空。")
	}
	return t.pick("An instance on demand needs its GPUs.", "按需实例需要其 GPU。")
}
func (t T) ReclaimedFree() string {
	return t.pick("It costs nothing: the notice came in its first hour.", "费用全免：通知发生在首小时内。")
}
func (t T) ReclaimedRequeue(yes bool) string {
	if yes {
		return t.pick("The job goes back to the queue.", "任务将重新排队。")
	}
	return t.pick("The job does not go back to the queue.", "任务不会重新排队。")
}
func (t T) SpotSheet() string      { return t.pick("Spot", "竞价") }
func (t T) SpotLocked() string     { return t.pick("Locked price", "锁定价格") }
func (t T) SpotSaved() string      { return t.pick("Saved so far", "已节省") }
func (t T) SpotRun() string        { return t.pick("Run", "运行次数") }
func (t T) SpotIfTaken() string    { return t.pick("If reclaimed", "被回收时") }
func (t T) SpotSignals() string    { return t.pick("Signals", "信号") }
func (t T) EarlierRun() string     { return t.pick("the run before", "上一次运行") }
func (t T) LaterRun() string       { return t.pick("the next run", "下一次运行") }
func (t T) SignalSent() string     { return t.pick("sent", "已发送") }
func (t T) SignalComes() string    { return t.pick("to come", "待发送") }
func (t T) CheckpointNone() string { return t.pick("none", "无") }

// CheckpointState says what became of the checkpoint command.
func (t T) CheckpointState(state, code string) string {
	switch state {
	case "runs":
		return t.pick("runs now", "正在运行")
	case "ended":
		return t.pick("ended with status "+code, "已结束，退出状态 "+code)
	case "failed":
		return t.pick("could not be run", "无法运行")
	}
	return t.pick("runs when it is reclaimed", "回收时运行")
}
