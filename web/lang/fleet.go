package lang

import "fmt"

func (t T) FleetTitle() string { return t.pick("Fleet", "GPU 总览") }
func (t T) FleetCount(present, expected int) string {
	return t.pick(fmt.Sprintf("%d of %s present", present, t.GPUs(expected)), fmt.Sprintf("共 %s，在线 %d 块", t.GPUs(expected), present))
}
func (t T) FleetMissing(n int) string {
	return t.pick(t.GPUs(n)+" that this site knows can't be seen now. The tile says which.", "有 "+t.GPUs(n)+" 目前不可见，详见下方卡片。")
}
func (t T) FleetEmpty() string {
	return t.pick("No GPU is known here. “meterhouse doctor” says what this machine has and what to change.", "本站没有已知的 GPU。运行 “meterhouse doctor” 查看本机情况与改进建议。")
}
func (t T) Nodes() string                { return t.pick("Nodes", "节点") }
func (t T) NodeHeading() string          { return t.pick("Node", "节点") }
func (t T) MemoryTotal() string          { return t.pick("Memory in all", "显存总量") }
func (t T) ReadHeading() string          { return t.pick("Read", "读取时间") }
func (t T) Driver(version string) string { return t.pick("driver "+version, "驱动 "+version) }
