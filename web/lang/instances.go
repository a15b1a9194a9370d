package lang

import "fmt"

func (t T) InstancesTitle() string { return t.pick("Instances", "实例") }
func (t T) Instance() string       { return t.pick("Instance", "实例") }
func (t T) Hardware() string       { return t.pick("Hardware", "硬件") }
func (t T) RateHeading() string    { return t.pick("Rate", "费率") }
func (t T) CostHeading() string    { return t.pick("Cost so far", "累计费用") }
func (t T) StartedHeading() string { return t.pick("Started", "启动时间") }
func (t T) EndsHeading() string    { return t.pick("Ends", "结束时间") }
func (t T) EndHeading() string     { return t.pick("End", "结束时间") }
func (t T) OwnerHeading() string   { return t.pick("Whose", "归属") }
func (t T) SearchName() string     { return t.pick("Name contains", "名称包含") }
func (t T) Search() string         { return t.pick("Search", "搜索") }
func (t T) FilterStatus() string   { return t.pick("Filter by status", "按状态筛选") }
func (t T) NoInstances() string    { return t.pick("There is no instance yet.", "还没有实例。") }
func (t T) NoneMatch() string {
	return t.pick("No instance fits this filter.", "没有符合筛选条件的实例。")
}
func (t T) QueuePlace(n int) string {
	return t.pick(fmt.Sprintf("place %d", n), fmt.Sprintf("第 %d 位", n))
}
func (t T) Benchmark() string { return t.pick("benchmark", "基准测试") }

// RAM names a size of main memory.
func (t T) RAM(size string) string { return t.pick(size+" RAM", "内存 "+size) }
func (t T) SettingsOf(name string) string {
	return t.pick("Settings of "+name, name+" 的设置")
}
