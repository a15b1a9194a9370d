package lang

import "fmt"

func (t T) BenchTitle() string { return t.pick("Benchmarks", "基准测试") }
func (t T) BenchLead() string {
	return t.pick("each run is an instance of its own, metered like any other", "每次测试都是一个独立实例，照常计费")
}
func (t T) BenchOf(suite string) string { return t.pick("Benchmark "+suite, "基准测试 "+suite) }
func (t T) BenchRuns() string           { return t.pick("Runs", "测试记录") }
func (t T) BenchNone() string           { return t.pick("Nothing was measured yet.", "尚无测试记录。") }
func (t T) BenchStart() string          { return t.pick("Start a run", "开始测试") }
func (t T) BenchButton() string         { return t.pick("Start", "开始") }
func (t T) BenchCancel() string         { return t.pick("Cancel the run", "取消测试") }
func (t T) BenchSuite() string          { return t.pick("Suite", "测试套件") }
func (t T) BenchBackend() string        { return t.pick("Back end", "后端") }
func (t T) BenchTarget() string         { return t.pick("On", "测试对象") }
func (t T) BenchTargetCPU() string      { return t.pick("this machine's CPU", "本机 CPU") }
func (t T) BenchSize() string           { return t.pick("Size", "规模") }
func (t T) BenchSizeHint() string {
	return t.pick("Left empty, the suite chooses.", "留空由套件决定。")
}
func (t T) BenchSeed() string { return t.pick("Seed", "随机种子") }
func (t T) BenchSeedHint() string {
	return t.pick("The same seed makes the same data.", "相同种子产生相同数据。")
}
func (t T) BenchSeconds() string { return t.pick("Seconds at the most", "最长秒数") }
func (t T) BenchSecondsHint() string {
	return t.pick("What could not be settled by then is marked unstable.", "届时仍未稳定的结果标记为“不稳定”。")
}
func (t T) BenchHeadline() string       { return t.pick("Result", "结果") }
func (t T) BenchTook() string           { return t.pick("Took", "用时") }
func (t T) BenchAtMost(s string) string { return t.pick("at most "+s, "最长 "+s) }
func (t T) BenchResults() string        { return t.pick("Results", "测试结果") }
func (t T) BenchMethod() string {
	return t.pick("checked for correctness before it was timed", "先验证正确性，再计时")
}
func (t T) BenchNoResults() string            { return t.pick("There is no result yet.", "尚无结果。") }
func (t T) BenchEnvironment() string          { return t.pick("What was on the machine", "测试环境") }
func (t T) BenchTest() string                 { return t.pick("Test", "测试项") }
func (t T) BenchMedian() string               { return t.pick("Median", "中位数") }
func (t T) BenchRange() string                { return t.pick("p5 – p95", "p5 – p95") }
func (t T) BenchSpread() string               { return t.pick("CV", "变异系数") }
func (t T) BenchSamples() string              { return t.pick("Samples", "样本数") }
func (t T) BenchOfBest() string               { return t.pick("Of the best", "与最佳之比") }
func (t T) BenchVerdict() string              { return t.pick("Verdict", "判定") }
func (t T) BenchHistoryOf(test string) string { return t.pick("History of "+test, test+" 的历史") }
func (t T) BenchSimulated() string {
	return t.pick("Simulated hardware: these figures are no score and are compared with nothing.", "模拟硬件：这些数据不作为成绩，也不参与比较。")
}
func (t T) BenchStarted(suite string) string {
	return t.pick("The "+suite+" run was started.", suite+" 测试已开始。")
}
func (t T) BenchCancelled() string {
	return t.pick("The run is being cancelled.", "正在取消测试。")
}

func (t T) BenchStable(stable bool) string {
	if stable {
		return t.pick("stable", "稳定")
	}
	return t.pick("unstable", "不稳定")
}

// BenchHistoryText says a plot to those who don't see it.
func (t T) BenchHistoryText(n int, low, high string) string {
	return t.pick(fmt.Sprintf("%d runs, from %s to %s", n, low, high), fmt.Sprintf("%d 次测试，最低 %s，最高 %s", n, low, high))
}

// SuiteShows says what a suite measures.
func (t T) SuiteShows(suite string) string {
	switch suite {
	case "matmul":
		return t.pick("matrix products, from naive to fastest", "矩阵乘法，从朴素实现到最快实现")
	case "stream":
		return t.pick("memory bandwidth", "内存带宽")
	}
	return suite
}

// Fact is the name of something that was on the machine; an unknown one is shown as it is.
func (t T) Fact(name string) string {
	switch name {
	case "cpu", "cpu_model":
		return t.pick("CPU", "CPU")
	case "cores", "cpus", "cpu_count":
		return t.pick("Cores", "核数")
	case "threads":
		return t.pick("Threads", "线程数")
	case "memory_bytes", "memory":
		return t.pick("Memory", "内存")
	case "os":
		return t.pick("System", "系统")
	case "arch", "architecture":
		return t.pick("Architecture", "架构")
	case "kernel":
		return t.pick("Kernel", "内核")
	case "go", "go_version":
		return t.pick("Go", "Go")
	case "governor":
		return t.pick("Governor", "调频策略")
	case "load", "load1", "load_average":
		return t.pick("Load before", "测试前负载")
	case "quota_millis":
		return t.pick("CPU quota in cores", "CPU 配额（核）")
	case "cache_bytes":
		return t.pick("Largest cache", "最大缓存")
	case "huge_pages":
		return t.pick("Huge pages", "大页")
	case "vector":
		return t.pick("Vector unit", "向量单元")
	case "version":
		return t.pick("Version", "版本")
	case "driver":
		return t.pick("Driver", "驱动")
	case "workers":
		return t.pick("Workers", "工作线程数")
	case "size":
		return t.BenchSize()
	case "seed":
		return t.BenchSeed()
	}
	return name
}
