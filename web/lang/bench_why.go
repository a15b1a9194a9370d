package lang

import "strings"

// BenchReason says why a figure is not stable or a run has no score; the keys are those of bench.Reasons.
func (t T) BenchReason(key string) string {
	switch key {
	case "time":
		return t.pick("time ran out before it settled", "未稳定前时间已用完")
	case "spread":
		return t.pick("the samples spread too far", "样本离散过大")
	case "other_load":
		return t.pick("other work ran on this machine", "本机同时有其他负载")
	case "load_unknown":
		return t.pick("this machine does not tell what else ran", "无法得知本机的其他负载")
	case "steal":
		return t.pick("the hypervisor gave the CPUs to others", "CPU 被虚拟机监控器让给了别的虚拟机")
	case "throttled":
		return t.pick("a CPU quota or the heat held it back", "受 CPU 配额或温度限制")
	case "in_cache":
		return t.pick("too small to leave the cache", "数据太小，未超出缓存")
	case "wrong":
		return t.pick("its result was wrong", "结果错误")
	case "memory":
		return t.pick("there was too little memory", "内存不足")
	case "died":
		return t.pick("it ended before it was done", "未完成就已退出")
	case "incomplete":
		return t.pick("results are missing", "缺少部分结果")
	case "empty":
		return t.pick("it said nothing", "没有任何输出")
	case "internal":
		return t.pick("the runner failed", "测试程序出错")
	}
	return ""
}

// BenchNote says what is worth knowing about a figure; the keys are those of bench.Notes.
func (t T) BenchNote(key string) string {
	switch key {
	case "size_shrunk":
		return t.pick("smaller than usual, for want of memory", "因内存不足缩小了规模")
	case "cache_unknown":
		return t.pick("the size of the cache is not told and was assumed", "缓存大小未知，按假定值计算")
	case "partial_rows":
		return t.pick("only the first rows of the product were computed", "只计算了结果矩阵的前若干行")
	}
	return ""
}

// BenchWhy joins several reasons.
func (t T) BenchWhy(texts []string) string { return strings.Join(texts, t.pick("; ", "；")) }

// BenchAllBecause gives the reason that all results of a run have.
func (t T) BenchAllBecause(why string) string {
	return t.pick("All of them: "+why, "全部结果："+why)
}

// BenchPhase says what is being done with a test.
func (t T) BenchPhase(key string) string {
	switch key {
	case "setup":
		return t.pick("making the data", "准备数据")
	case "check":
		return t.pick("checking the result", "验证结果")
	case "warmup":
		return t.pick("warming up", "预热")
	case "measure":
		return t.pick("measuring", "测量")
	}
	return ""
}
