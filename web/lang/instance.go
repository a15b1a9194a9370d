package lang

func (t T) Extend() string   { return t.pick("Extend", "延长") }
func (t T) Suspend() string  { return t.pick("Suspend", "挂起") }
func (t T) Resume() string   { return t.pick("Resume", "恢复") }
func (t T) StopDots() string { return t.pick("Stop…", "停止…") }
func (t T) StopAsk(name string) string {
	return t.pick("Stop "+name+"?", "停止 "+name+"？")
}
func (t T) StopMeans() string {
	return t.pick("Everything that runs in it is asked to end, and killed after its grace time. Its home directory and its log stay; the GPUs are given back. The bill ends with the stop.",
		"其中运行的程序会先被请求退出，宽限期后强制终止。主目录与日志会保留，GPU 将被归还，计费随停止而结束。")
}
func (t T) StopName(name string) string { return t.pick("Stop "+name, "停止 "+name) }
func (t T) EndedHeading() string        { return t.pick("Ended", "结束于") }
func (t T) CostTotal() string           { return t.pick("Cost", "总费用") }
func (t T) Progress() string            { return t.pick("Progress", "进度") }
func (t T) StartStep(step string) string {
	switch step {
	case "queued":
		return t.pick("queued", "排队")
	case "image":
		return t.pick("files", "准备文件")
	case "start":
		return t.pick("start", "启动")
	case "health":
		return t.pick("health check", "健康检查")
	}
	return step
}
func (t T) SuspendedNote() string {
	return t.pick("Suspended: its processes are frozen, its GPUs are kept, and it is billed in full.", "已挂起：进程被冻结，GPU 仍被占用，按全价计费。")
}
func (t T) UnreachableNote() string {
	return t.pick("Nobody can tell whether it runs: its node does not answer, or has no readable record of it; the events say which. Nothing is billed after the last sign of life; once it is proven that the instance ran on, the gap is billed.",
		"无法确认它是否在运行：所在节点无响应，或其记录无法读取；详见事件。最后一次存活证明之后不计费；一旦证明实例一直在运行，则补计这段时间。")
}
func (t T) SimulatedInstance() string {
	return t.pick("These GPUs are simulated: the charts follow what your own processes do on this machine.", "这些 GPU 是模拟的：图表跟随你的进程在本机上的实际活动。")
}

func (t T) BillTitle() string  { return t.pick("This bill, explained", "账单明细") }
func (t T) BillState() string  { return t.pick("State", "状态") }
func (t T) BillHow() string    { return t.pick("Duration × rate", "时长 × 费率") }
func (t T) BillAmount() string { return t.pick("Amount", "金额") }
func (t T) BillEmpty() string  { return t.pick("Nothing is billed yet.", "尚未产生费用。") }
func (t T) BillOpen() string   { return t.pick("still counting", "仍在计费") }
func (t T) NotBilled() string  { return t.pick("not billed", "不计费") }
func (t T) BillLine(state string) string {
	switch state {
	case "minimum":
		return t.pick("made up to 60 s", "补足 60 秒")
	case "waived", "waiver":
		return t.pick("waived", "免除")
	case "correction":
		return t.pick("correction", "更正")
	case "storage":
		return t.pick("storage", "存储")
	}
	return t.InstanceStatus(state)
}

func (t T) Events() string { return t.pick("Events", "事件") }
func (t T) EventsOlder() string {
	return t.pick("Older events are left out.", "更早的事件未显示。")
}
func (t T) Log() string    { return t.pick("Log", "日志") }
func (t T) LogCut() string { return t.pick("only the end is shown", "仅显示末尾部分") }
func (t T) LogUnreadable() string {
	return t.pick("Its output can't be read now. An admin finds the reason in the console's log, under this instance's number. What it does and costs is not affected.",
		"目前无法读取其输出。管理员可在控制台日志中按此实例的编号查到原因。其运行与费用不受影响。")
}
func (t T) LogEmpty(over bool) string {
	if over {
		return t.pick("It wrote nothing.", "没有输出。")
	}
	return t.pick("It has written nothing yet.", "尚无输出。")
}
func (t T) Connect() string { return t.pick("Connect", "连接") }
func (t T) ConnectNote() string {
	return t.pick("From your own machine, with an API token in METERHOUSE_TOKEN:", "在你自己的机器上使用，API 令牌放在 METERHOUSE_TOKEN 中：")
}
func (t T) ExtendPrice(rate string) string { return t.pick(rate+" an hour", "每小时 "+rate) }
func (t T) ExtendHours() string            { return t.pick("Hours more", "延长时数") }
func (t T) ExtendHint() string {
	return t.pick("The hard end moves by this much.", "强制结束时间相应后移。")
}
func (t T) ExtendButton() string { return t.pick("Move the end", "延后结束时间") }
func (t T) What() string         { return t.pick("What it is", "实例信息") }
func (t T) CommandShell() string { return t.pick("a shell that waits for you", "等待你的 shell") }
func (t T) CPUHeading() string   { return t.pick("CPU cores", "CPU 核数") }
func (t T) RAMHeading() string   { return t.pick("Memory", "内存") }
func (t T) DiskHeading() string  { return t.pick("Disk", "磁盘") }
func (t T) Number() string       { return t.pick("Number", "编号") }
func (t T) Limits() string       { return t.pick("Limits on this machine", "本机的资源限制") }
func (t T) LimitName(name string) string {
	switch name {
	case "cpu":
		return "CPU"
	case "memory":
		return t.pick("memory", "内存")
	case "pids":
		return t.pick("processes", "进程数")
	case "disk":
		return t.pick("disk", "磁盘")
	case "devices":
		return t.pick("devices", "设备")
	case "namespaces":
		return t.pick("namespaces", "命名空间")
	case "user":
		return t.pick("own user", "独立用户")
	case "images":
		return t.pick("images", "镜像")
	case "sockets":
		return t.pick("sockets", "套接字")
	case "egress":
		return t.pick("outgoing network", "出站网络")
	}
	return name
}

// LimitMeans says what a limit keeps an instance from, or what it means that this machine does not hold it and what to do.
func (t T) LimitMeans(name string, enforced bool) string {
	if !enforced {
		return t.limitMissing(name)
	}
	switch name {
	case "cpu":
		return t.pick("It gets no more CPU time than its plan has.", "CPU 时间不超过方案的配额。")
	case "memory":
		return t.pick("A process that wants more than its plan has is ended.", "超出方案内存的进程会被终止。")
	case "pids":
		return t.pick("It can't start processes without end.", "无法无限制地创建进程。")
	case "disk":
		return t.pick("It can't fill the disk of this machine.", "无法占满本机磁盘。")
	case "devices":
		return t.pick("It can open the GPUs that it rented, and no others.", "只能访问所租用的 GPU。")
	case "namespaces":
		return t.pick("It sees its own processes alone, and of files its own home and what everybody on this machine may read.", "只能看到自己的进程；文件方面只能看到自己的主目录和本机上人人可读的内容。")
	case "user":
		return t.pick("It runs as a user that no other instance has.", "以不与其他实例共用的用户运行。")
	case "sockets":
		return t.pick("It can't connect to sockets of other programs of this machine that have no file.", "无法连接本机其他程序的抽象套接字。")
	case "egress":
		return t.pick("It can't reach link-local addresses, such as the service that tells this machine its credentials.", "无法访问链路本地地址，例如向本机提供凭据的元数据服务。")
	}
	return ""
}

func (t T) limitMissing(name string) string {
	switch name {
	case "cpu":
		return t.pick("This machine can't limit CPU time: one busy instance slows the others down. Run the console as root, or delegate the cpu controller to it.",
			"本机无法限制 CPU 时间：一个繁忙的实例会拖慢其他实例。请以 root 运行控制台，或将 cpu 控制器委派给它。")
	case "memory":
		return t.pick("This machine can't limit memory: one instance can use up all of it. Run the console as root, or delegate the memory controller to it.",
			"本机无法限制内存：单个实例可能耗尽全部内存。请以 root 运行控制台，或将 memory 控制器委派给它。")
	case "pids":
		return t.pick("This machine can't limit the number of processes. Run the console as root, or delegate the pids controller to it.",
			"本机无法限制进程数。请以 root 运行控制台，或将 pids 控制器委派给它。")
	case "disk":
		return t.pick("This machine can't limit the disk space of an instance; keep the data directory on a file system of its own, so that a full one stops nothing else.",
			"本机无法限制实例的磁盘空间；请将数据目录放在独立的文件系统上，写满时不会影响其他服务。")
	case "devices":
		return t.pick("Only environment variables hide the GPUs that it did not rent. Run the console as root, or allow user namespaces.",
			"仅靠环境变量隐藏未租用的 GPU。请以 root 运行控制台，或允许用户命名空间。")
	case "namespaces":
		return t.pick("Instances see each other and the console's files. Run the console as root, or allow user namespaces.",
			"实例之间互相可见，也能看到控制台的文件。请以 root 运行控制台，或允许用户命名空间。")
	case "user":
		return t.pick("Instances run as the console's own user. Run the console as root, and each gets a user of its own.",
			"实例以控制台自身的用户运行。请以 root 运行控制台，使每个实例拥有独立用户。")
	case "sockets":
		return t.pick("Instances without an image can connect to sockets of this machine's programs that have no file. Linux 6.12 with Landlock keeps them apart; so does an image.",
			"不使用镜像的实例可以连接本机程序的抽象套接字。带 Landlock 的 Linux 6.12 可将其隔离；使用镜像也可以。")
	case "egress":
		return t.pick("Instances without an image can ask the metadata service of this machine, which may tell credentials. Run the console as root, or give them images.",
			"不使用镜像的实例可以访问本机的元数据服务，可能由此获得凭据。请以 root 运行控制台，或为实例使用镜像。")
	}
	return ""
}

func (t T) LimitEnforced(is bool) string {
	if is {
		return t.pick("enforced", "已限制")
	}
	return t.pick("not enforced", "未限制")
}
func (t T) Stopping(name string) string {
	return t.pick(name+" is being stopped.", "正在停止 "+name+"。")
}
func (t T) Suspended(name string) string {
	return t.pick(name+" is suspended; it is still billed.", name+" 已挂起，仍在计费。")
}
func (t T) Resumed(name string) string { return t.pick(name+" goes on.", name+" 已恢复运行。") }
func (t T) Extended(name, end string) string {
	return t.pick(name+" now ends at "+end+".", name+" 的结束时间改为 "+end+"。")
}
