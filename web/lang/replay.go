package lang

func (t T) ReplayTitle() string { return t.pick("Replay a workload", "回放工作负载") }
func (t T) ReplayLead() string {
	return t.pick("what a pool and its prices would have done with it, in simulated time", "在模拟时间中查看资源池及其价格的表现")
}
func (t T) ReplayNone() string  { return t.pick("Nothing was replayed yet.", "尚未回放过。") }
func (t T) ReplayStart() string { return t.pick("Replay", "开始回放") }
func (t T) ReplayFile() string  { return t.pick("Workload", "工作负载文件") }
func (t T) ReplayFileHint() string {
	return t.pick("A CSV file with the columns name, num_gpu, gpu_milli, qos, creation_time, deletion_time and scheduled_time, at most 1 MB.", "CSV 文件，包含 name、num_gpu、gpu_milli、qos、creation_time、deletion_time、scheduled_time 列，不超过 1 MB。")
}
func (t T) ReplayGPUs() string    { return t.pick("GPUs in the pool", "池中 GPU 数") }
func (t T) ReplayPerNode() string { return t.pick("GPUs of one node", "每节点 GPU 数") }
func (t T) ReplayPrice(currency string) string {
	return t.pick("Price of one GPU an hour in "+currency, "每 GPU 每小时价格（"+currency+"）")
}
func (t T) ReplayProgress(done, total string) string {
	return t.pick(done+" of "+total+" runs", "已完成 "+done+" / "+total)
}
func (t T) ReplayPool() string { return t.pick("Pool", "资源池") }
func (t T) ReplayTasks() string {
	return t.pick("Tasks served of those asked", "已服务 / 请求任务数")
}
func (t T) ReplayHours() string {
	return t.pick("GPU-hours served of those asked", "已服务 / 请求 GPU 小时")
}
func (t T) ReplayUtilization() string { return t.pick("Utilization", "利用率") }
func (t T) ReplayWait() string {
	return t.pick("Wait: median / 95 of 100 below / longest", "等待：中位 / 95% / 最长")
}
func (t T) ReplayRevenue() string { return t.pick("Revenue", "收入") }
func (t T) ReplayLedger() string  { return t.pick("Its ledger's sum", "其总账之和") }
func (t T) ReplayLost(hours, reclaims string) string {
	return t.pick(hours+" lost to "+reclaims+" reclaims", "因 "+reclaims+" 次回收损失 "+hours)
}

// ReplayStatus is where a replay stands.
func (t T) ReplayStatus(status string) string {
	if status == "running" {
		return t.pick("is being replayed", "回放中")
	}
	return t.JobStatus(status)
}
