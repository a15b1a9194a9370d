package lang

import "fmt"

// errorsOfImages are about what instances start from, and about who may bring it here.
var errorsOfImages = map[string]pair{
	"image_not_found":         {"There is no such image here any more.", "该镜像已不存在。"},
	"image_not_here":          {"The image {image} is not on this machine. Pull or build it on the page Images first; what was just added to the engine appears there within a minute.", "本机没有镜像 {image}。请先在“镜像”页面拉取或构建；刚加入容器引擎的镜像会在一分钟内出现。"},
	"no_image_engine":         {"No container engine answers on this machine, so there are no images. Instances start from the machine's own files.", "本机没有可用的容器引擎，因此没有镜像。实例只能使用本机文件启动。"},
	"image_needs_driver":      {"{image} contains CUDA {cuda}, which needs driver {needs} or newer; the GPU's is {driver}. Choose another image, or ask an admin to update the driver.", "{image} 包含 CUDA {cuda}，需要 {needs} 或更新的驱动；该 GPU 的驱动为 {driver}。请选择其他镜像，或请管理员更新驱动。"},
	"image_name_wrong":        {"This is no name of an image, such as nvcr.io/nvidia/pytorch:24.12-py3.", "这不是镜像名称。正确示例：nvcr.io/nvidia/pytorch:24.12-py3。"},
	"image_name_local":        {"An image that is made here has a name without a registry, such as trainer:1.", "在本机制作的镜像名称不含镜像仓库，例如 trainer:1。"},
	"image_not_pullable":      {"Images of localhost are made here: there is no registry to pull them from.", "localhost 的镜像是在本机制作的，没有可供拉取的镜像仓库。"},
	"image_name_taken":        {"Another team's image has this name. Choose another.", "其他团队的镜像已使用该名称，请另取名称。"},
	"image_origin_wrong":      {"An image is pulled, built, or saved from an instance.", "镜像可通过拉取、构建或保存实例得到。"},
	"image_in_use":            {"Instances use this image: it can be removed when they have ended.", "有实例在使用该镜像，待其结束后才能删除。"},
	"image_in_template":       {"A template names this image: delete or change that first.", "有模板引用该镜像，请先删除或修改模板。"},
	"image_not_yours":         {"Only who brought this image here, a manager or an admin removes it.", "只有带来该镜像的人、管理者或管理员可以删除它。"},
	"image_stays":             refusedByRule,
	"pull_needs_manager":      {"Images are pulled by managers and admins here. Ask one of them.", "本站只有管理者和管理员可以拉取镜像，请联系他们。"},
	"pull_from_listed":        {"Members pull images from these registries alone: {registries}. Ask a manager for others.", "成员只能从以下镜像仓库拉取：{registries}。其他来源请联系管理者。"},
	"build_needs_manager":     {"Images are built by managers and admins. Save an instance as an image instead, or ask one of them.", "镜像由管理者和管理员构建。你可以改为将实例保存为镜像，或联系他们。"},
	"build_context_too_large": {"The files of a build come to more than 16 MB: leave out what is not copied, or fetch it in the Dockerfile.", "构建文件超过 16 MB：请去掉不需要复制的文件，或在 Dockerfile 中下载。"},
	"build_context_wrong":     {"The files of a build are a tar, in Base64.", "构建文件应为 Base64 编码的 tar。"},
	"save_needs_image":        {"This instance started from the machine's own files, which are no image. Rent one from an image to save it.", "该实例使用本机文件启动，不能保存为镜像。请从镜像租用实例后再保存。"},
	"save_needs_running":      {"An instance's files can be saved while it runs. This one does not.", "只有运行中的实例才能保存为镜像。该实例未在运行。"},
	"registry_wrong":          {"{name} is no registry, such as nvcr.io or docker.io/library.", "{name} 不是镜像仓库。正确示例：nvcr.io 或 docker.io/library。"},
}

func (t T) NavImages() string   { return t.pick("Images", "镜像") }
func (t T) ImagesTitle() string { return t.pick("Images", "镜像") }
func (t T) ImagesSpace(node, bytes, free string) string {
	return t.pick(bytes+" of images on "+node+", "+free+" free", node+" 上的镜像共 "+bytes+"，剩余 "+free)
}
func (t T) ImagesUnknown(node string) string {
	return t.pick("No container engine answers on "+node+". The list is what was there last; instances start from the machine's own files.", node+" 上没有可用的容器引擎。列表为上次所见；实例只能使用本机文件启动。")
}
func (t T) ImagesNone() string {
	return t.pick("There is no image here. Instances start from the machine's own files.", "这里没有镜像，实例使用本机文件启动。")
}
func (t T) ImageContains() string { return t.pick("Contains", "包含") }
func (t T) ImageSize() string     { return t.pick("Size", "大小") }
func (t T) ImageUse() string      { return t.pick("Used", "使用") }
func (t T) ImageState() string    { return t.pick("State", "状态") }
func (t T) ImageRent() string     { return t.pick("Rent", "租用") }
func (t T) ImageRemove() string   { return t.pick("Remove", "删除") }
func (t T) ImageGiveUp() string   { return t.pick("Give up", "放弃") }
func (t T) ImageDigest() string   { return t.pick("Digest", "摘要") }
func (t T) ImageStarted() string  { return t.pick("Started from", "启动镜像") }
func (t T) ImageNothing() string {
	return t.pick("no CUDA and no framework was found", "未发现 CUDA 或框架")
}
func (t T) ImageTeam(name string) string {
	return t.pick("seen by "+name, name+" 可见")
}
func (t T) ImageRentOf(name string) string {
	return t.pick("Rent with "+name, "使用 "+name+" 租用")
}
func (t T) ImageRemoveOf(name string) string { return t.pick("Remove "+name, "删除 "+name) }
func (t T) ImageUsers(n int) string {
	if n == 1 {
		return t.pick("by one instance", "1 个实例使用中")
	}
	return t.pick(fmt.Sprintf("by %d instances", n), fmt.Sprintf("%d 个实例使用中", n))
}
func (t T) ImageLast(at string) string { return t.pick("last "+at, "最近 "+at) }
func (t T) ImageStatus(s string) string {
	switch s {
	case "queued":
		return t.pick("waits", "等待中")
	case "pulling":
		return t.pick("is pulled", "拉取中")
	case "building":
		return t.pick("is built", "构建中")
	case "saving":
		return t.pick("is saved", "保存中")
	case "ready":
		return t.pick("ready", "可用")
	case "failed":
		return t.pick("failed", "失败")
	case "removing":
		return t.pick("is removed", "删除中")
	}
	return s
}
func (t T) ImageOrigin(origin, who string) string {
	switch origin {
	case "pull":
		return t.pick("pulled by "+who, who+" 拉取")
	case "build":
		return t.pick("built by "+who, who+" 构建")
	case "save":
		return t.pick("saved by "+who, who+" 保存")
	}
	return t.pick("was there", "原有")
}
func (t T) ImageRemoveAsk(name string) string {
	return t.pick("Remove "+name+"?", "删除 "+name+"？")
}
func (t T) ImageRemoveMeans(size string) string {
	return t.pick("It takes "+size+". Who wants it again has to pull or make it again; instances that run go on.", "它占用 "+size+"。再次使用需重新拉取或制作；运行中的实例不受影响。")
}
func (t T) PullTitle() string  { return t.pick("Pull an image", "拉取镜像") }
func (t T) PullButton() string { return t.pick("Pull", "拉取") }
func (t T) ImageName() string  { return t.pick("Name", "名称") }
func (t T) PullHint() string {
	return t.pick("With its registry, such as nvcr.io/nvidia/pytorch:24.12-py3. With name@sha256:… it is exactly that image, whatever the tag points at later.", "包含镜像仓库，例如 nvcr.io/nvidia/pytorch:24.12-py3。使用 名称@sha256:… 可固定为该镜像，不受标签变动影响。")
}
func (t T) PullFrom(registries string) string {
	return t.pick("Members pull from: "+registries, "成员可从以下仓库拉取："+registries)
}
func (t T) BuildTitle() string  { return t.pick("Build an image", "构建镜像") }
func (t T) BuildButton() string { return t.pick("Build", "构建") }
func (t T) BuildName() string   { return t.pick("Its name will be", "镜像名称") }
func (t T) BuildNameHint() string {
	return t.pick("Without a registry, such as trainer:1.", "不含镜像仓库，例如 trainer:1。")
}
func (t T) BuildHint() string {
	return t.pick("What it runs sees none of this machine's files. To copy files of yours, use meterhouse image build.", "构建过程看不到本机文件。如需复制自己的文件，请使用 meterhouse image build。")
}
func (t T) ImageTeamOnly() string { return t.pick("Only my team sees it", "仅本团队可见") }
func (t T) SaveTitle() string     { return t.pick("Save as image", "保存为镜像") }
func (t T) SaveHint() string {
	return t.pick("All its files as they are now, but for its home, volumes and memory. Your team sees it.", "保存当前全部文件，但不含主目录、存储卷与内存。团队可见。")
}
func (t T) ImageRuleTitle() string {
	return t.pick("Who may pull, and how long images stay", "拉取权限与保留时间")
}
func (t T) MembersPull() string {
	return t.pick("Members may pull, from these registries alone", "成员可以拉取，仅限以下镜像仓库")
}
func (t T) MembersPullHint() string {
	return t.pick("Managers and admins may pull from anywhere.", "管理者与管理员不受来源限制。")
}
func (t T) Registries() string { return t.pick("Registries", "镜像仓库") }
func (t T) RegistriesHint() string {
	return t.pick("One a line, such as nvcr.io or docker.io/library.", "每行一个，例如 nvcr.io 或 docker.io/library。")
}
func (t T) KeepDays() string {
	return t.pick("Remove after so many days without use", "多少天未使用后删除")
}
func (t T) KeepDaysHint() string {
	return t.pick("0: images stay. What an instance or a template uses is never removed.", "0 表示一直保留。被实例或模板使用的镜像不会删除。")
}
func (t T) ImageKept(days int) string {
	if days == 0 {
		return t.pick("Images stay until somebody removes them.", "镜像会一直保留，直到有人删除。")
	}
	return t.pick(fmt.Sprintf("An image that nobody uses for %d days is removed.", days), fmt.Sprintf("连续 %d 天无人使用的镜像会被删除。", days))
}
func (t T) ImageAsked(name string) string {
	return t.pick(name+" is on its way.", name+" 已开始处理。")
}
func (t T) ImageIsGoing(name string) string { return t.pick(name+" is removed.", name+" 已删除。") }

// ImageFit says before the click whether an image can use the GPUs.
func (t T) ImageFit(fit, cuda, needs, driver string) string {
	switch fit {
	case "fits":
		return t.pick("CUDA "+cuda+" in the image runs on driver "+driver+".", "镜像中的 CUDA "+cuda+" 可在驱动 "+driver+" 上运行。")
	case "too_old":
		return t.pick("CUDA "+cuda+" in the image needs driver "+needs+" or newer; the GPU's is "+driver+".", "镜像中的 CUDA "+cuda+" 需要 "+needs+" 或更新的驱动；该 GPU 的驱动为 "+driver+"。")
	case "no_need":
		return t.pick("Nothing in the image needs a GPU's driver.", "镜像中没有需要 GPU 驱动的内容。")
	}
	if needs != "" {
		return t.pick("CUDA "+cuda+" in the image needs driver "+needs+" or newer; which one these GPUs have is not known.", "镜像中的 CUDA "+cuda+" 需要 "+needs+" 或更新的驱动；这些 GPU 的驱动版本未知。")
	}
	return t.pick("Whether the image fits the GPU's driver is not known.", "该镜像是否适配 GPU 驱动未知。")
}
