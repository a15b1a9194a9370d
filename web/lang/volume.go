package lang

// errorsOfVolumes are about storage and the files in it.
var errorsOfVolumes = map[string]pair{
	"volume_not_found":   {"There is no such volume.", "没有该存储卷。"},
	"snapshot_not_found": {"There is no such snapshot.", "没有该快照。"},
	"file_not_found":     {"There is no such file in the volume.", "存储卷中没有该文件。"},
	"volume_name_taken":  {"The team has a volume {name} already.", "团队已有名为 {name} 的存储卷。"},
	"volume_smaller":     {"A volume only grows: this one has {gib} GiB.", "存储卷只能扩大：当前为 {gib} GiB。"},
	"volume_only_grows":  {"A volume only grows.", "存储卷只能扩大。"},
	"volume_not_ready":   {"The volume isn't ready: it is being made or deleted. Try again in a moment.", "存储卷尚未就绪：正在创建或删除，请稍后再试。"},
	"volume_not_yours":   {"It belongs to somebody else who has not shared it with the team; they or a manager can.", "它属于他人且未与团队共享；所有者或管理者可以操作。"},
	"volume_attached":    {"An instance works in this volume. One instance writes it, or several only read it; it is free when they have ended.", "有实例正在使用该存储卷。同一时间只能由一个实例写入，或由多个实例只读；实例结束后即可使用。"},
	"volume_stays":       {"What stands in the books is not taken out of them.", "账目中的记录不会被删除。"},
	"volume_path_wrong":  {"A volume's place in the instance is an absolute path, such as /data.", "存储卷在实例中的位置须为绝对路径，例如 /data。"},
	"volume_path_taken":  {"The instance's own files are there: choose another place, such as /data.", "该位置是实例自身的文件：请选择其他位置，例如 /data。"},
	"volume_path_twice":  {"Two volumes can't be at the same place, nor one within the other.", "两个存储卷不能位于同一位置，也不能相互嵌套。"},
	"volume_twice":       {"The same volume is named twice.", "同一存储卷被指定了两次。"},
	"too_many_volumes":   {"An instance has at most 16 volumes.", "一个实例最多挂载 16 个存储卷。"},
	"volume_full":        {"The volume is full: nothing of this was written, and what was there is unchanged. Delete files or make the volume larger.", "存储卷已满：未写入任何内容，原有文件不变。请删除文件或扩大存储卷。"},
	"file_outside":       {"This path leads out of the volume.", "该路径超出了存储卷。"},
	"file_not_plain":     {"This is no plain file that could be read.", "这不是可读取的普通文件。"},
	"file_not_directory": {"This is no directory.", "这不是目录。"},
	"file_exists":        {"There is something of that name already.", "已存在同名内容。"},
	"file_name_wrong":    {"That can't be a file's name.", "不能用作文件名。"},
	"name_not_typed":     {"Type the volume's name to delete it.", "请输入存储卷名称以确认删除。"},
}

func (t T) NavVolumes() string   { return t.pick("Volumes", "存储卷") }
func (t T) VolumesTitle() string { return t.pick("Volumes", "存储卷") }
func (t T) VolumesLead() string {
	return t.pick("storage that outlives every instance", "独立于实例、长期保留的存储")
}
func (t T) VolumesNone() string {
	return t.pick("There is no volume yet.", "还没有存储卷。")
}
func (t T) VolumeState(state string) string {
	switch state {
	case "creating":
		return t.pick("being made", "创建中")
	case "ready":
		return t.pick("ready", "就绪")
	case "deleting":
		return t.pick("being deleted", "删除中")
	case "deleted":
		return t.pick("deleted", "已删除")
	case "failed":
		return t.pick("failed", "失败")
	}
	return state
}
func (t T) VolumeName() string     { return t.pick("Name", "名称") }
func (t T) VolumeSize() string     { return t.pick("Size in GiB", "大小（GiB）") }
func (t T) VolumeSizeHead() string { return t.pick("Size", "大小") }
func (t T) VolumeUsed() string     { return t.pick("Used", "已用") }
func (t T) VolumeUsedNot() string {
	return t.pick("not looked at yet", "尚未读取")
}
func (t T) VolumeOwner() string    { return t.pick("Of", "所有者") }
func (t T) VolumeMonth() string    { return t.pick("A month", "每月费用") }
func (t T) VolumeAttached() string { return t.pick("Attached to", "挂载于") }
func (t T) VolumeNowhere() string  { return t.pick("no instance", "无实例") }
func (t T) VolumeReadOnly() string { return t.pick("read only", "只读") }
func (t T) VolumeShared() string {
	return t.pick("Shared with the whole team", "与整个团队共享")
}
func (t T) VolumePrivate() string   { return t.pick("private", "私有") }
func (t T) VolumeSharedTag() string { return t.pick("shared", "共享") }
func (t T) VolumeNew() string       { return t.pick("New volume", "新建存储卷") }
func (t T) VolumeCreate() string    { return t.pick("Create", "创建") }
func (t T) VolumeChange() string    { return t.pick("Grow and share", "扩容与共享") }
func (t T) VolumeSave() string      { return t.pick("Save", "保存") }
func (t T) VolumePriced(price string) string {
	return t.pick("A GiB costs "+price+" a month of 730 hours, from when it is made until it is deleted.", "每 GiB 每月（730 小时）"+price+"，自创建起至删除止计费。")
}
func (t T) VolumeDelete() string { return t.pick("Delete the volume", "删除存储卷") }
func (t T) VolumeDeleteMeans() string {
	return t.pick("Its files and snapshots are gone for good, and it costs nothing more.", "其中的文件与快照将被永久删除，并停止计费。")
}
func (t T) VolumeTypeName() string  { return t.pick("Type its name", "请输入其名称") }
func (t T) VolumeSnapshots() string { return t.pick("Snapshots", "快照") }
func (t T) VolumeSnapshotNone() string {
	return t.pick("There is no snapshot.", "没有快照。")
}
func (t T) VolumeSnapshotMake() string { return t.pick("Make a snapshot", "创建快照") }
func (t T) VolumeFiles() string        { return t.pick("Files", "文件") }
func (t T) VolumeRoot() string         { return t.pick("all files", "全部文件") }
func (t T) VolumeFilesNone() string    { return t.pick("Nothing is here.", "此处为空。") }
func (t T) VolumeFilesMore() string {
	return t.pick("There is more here than can be listed.", "内容过多，未能全部列出。")
}
func (t T) VolumeFree(size string) string { return t.pick(size+" free", "剩余 "+size) }
func (t T) VolumeModified() string        { return t.pick("Changed", "修改时间") }
func (t T) VolumeUpload() string          { return t.pick("Upload", "上传") }
func (t T) VolumeFile() string            { return t.pick("File", "文件") }
func (t T) VolumeDirectory() string       { return t.pick("New directory", "新建目录") }
func (t T) VolumeFault(why string) string {
	return t.pick("The node says: "+why, "节点报告："+why)
}
func (t T) VolumeCreated(name string) string {
	return t.pick("The volume "+name+" is being made.", "正在创建存储卷 "+name+"。")
}
func (t T) VolumeChanged() string { return t.pick("The volume is changed.", "存储卷已更改。") }
func (t T) VolumeDeleted(name string) string {
	return t.pick("The volume "+name+" is deleted.", "存储卷 "+name+" 已删除。")
}
func (t T) SnapshotAsked() string {
	return t.pick("The snapshot is being made.", "正在创建快照。")
}
func (t T) SnapshotDeleted() string {
	return t.pick("The snapshot is deleted.", "快照已删除。")
}
func (t T) FileUploaded(name string) string {
	return t.pick(name+" is uploaded.", name+" 已上传。")
}
func (t T) FileRemoved(name string) string { return t.pick(name+" is deleted.", name+" 已删除。") }

func (t T) RentVolume() string     { return t.pick("Volume", "存储卷") }
func (t T) RentVolumeNone() string { return t.pick("none", "无") }
func (t T) RentVolumePath() string {
	return t.pick("Its place in the instance", "在实例中的位置")
}
func (t T) RentVolumePlace() string    { return t.pick("such as /data", "例如 /data") }
func (t T) RentVolumeReadOnly() string { return t.pick("Only read it", "只读") }
func (t T) RentVolumeHint() string {
	return t.pick("One instance writes a volume, or several only read it.", "同一时间只能由一个实例写入，或由多个实例只读。")
}
