package lang

// errorsOfData are about a data directory, its database and copies of it. A person at a terminal meets them.
var errorsOfData = map[string]pair{
	"data_dir_missing":         {"There is no data directory {dir}. Name one with --data.", "数据目录 {dir} 不存在，请用 --data 指定。"},
	"data_dir_no_permission":   {"No permission to use the data directory {dir}. Change its owner, or name another with --data.", "没有权限使用数据目录 {dir}。请更改其所有者，或用 --data 指定其他目录。"},
	"data_dir_not_a_directory": {"{dir} is not a directory, or {file} is one. Name another data directory with --data.", "{dir} 不是目录，或 {file} 是目录。请用 --data 指定其他数据目录。"},
	"data_dir_read_only":       {"The data directory {dir} is on a read-only disk. Name another with --data.", "数据目录 {dir} 所在磁盘为只读，请用 --data 指定其他目录。"},
	"already_serving":          {"Another console runs on the data directory {dir}. Stop it first, or name another directory with --data.", "已有控制台使用数据目录 {dir}。请先停止它，或用 --data 指定其他目录。"},
	"database_damaged":         {"The database {file} is damaged. Stop Meterhouse, keep a copy of the file, and restore the last backup with `meterhouse restore`.", "数据库 {file} 已损坏。请停止 Meterhouse，保留该文件副本，并用 `meterhouse restore` 恢复最近的备份。"},
	"database_not_ours":        {"The file {file} is not a Meterhouse database. Name another data directory, or move the file away.", "文件 {file} 不是 Meterhouse 数据库。请指定其他数据目录，或移走该文件。"},
	"database_newer":           {"The database {file} was made by a newer Meterhouse (version {version}, this one knows up to {known}). Run the newer program, or restore a backup made by this one.", "数据库 {file} 由更新版本的 Meterhouse 创建（版本 {version}，本程序最高支持 {known}）。请运行新版程序，或恢复由本版本创建的备份。"},
	"database_older":           {"The database {file} was made by an older Meterhouse. Start the console once to bring it up to date.", "数据库 {file} 由旧版本的 Meterhouse 创建。请启动一次控制台以完成升级。"},
	"backup_exists":            {"The file {file} exists already. Name another, nothing is overwritten.", "文件 {file} 已存在。请另取文件名，不会覆盖任何内容。"},
	"backup_not_writable":      {"{file} can't be written. Name another place for the backup.", "无法写入 {file}，请为备份指定其他位置。"},
	"restore_exists":           {"There is a database in {dir} already. Restore into an empty directory, nothing is overwritten.", "{dir} 中已有数据库。请恢复到空目录，不会覆盖任何内容。"},
	"restore_missing":          {"There is no backup {file}.", "没有备份文件 {file}。"},

	"join_refused":    {"This join token is unknown, was used already, or has expired. Make another with `meterhouse admin node join`.", "该加入令牌未知、已使用或已过期。请用 `meterhouse admin node join` 重新生成。"},
	"node_removed":    {"This node was removed from the console. To bring the machine back, delete agent.key in its data directory and join anew.", "该节点已从控制台移除。如需恢复，请删除其数据目录中的 agent.key 并重新加入。"},
	"node_name_taken": {"There is a node called {name} already. Give this machine another name with --name, or remove the other node.", "已有名为 {name} 的节点。请用 --name 为本机指定其他名称，或移除另一节点。"},

	"audit_append_only":       refusedByRule,
	"price_append_only":       refusedByRule,
	"ledger_append_only":      refusedByRule,
	"reservations_overlap":    refusedByRule,
	"reservation_stays":       refusedByRule,
	"invoice_is_final":        refusedByRule,
	"invoice_does_not_add_up": refusedByRule,
	"invoice_number_wrong":    refusedByRule,
	"entry_not_balanced":      refusedByRule,
	"segment_is_history":      refusedByRule,
	"segments_overlap":        refusedByRule,
	"instance_stays":          refusedByRule,
	"terms_locked":            refusedByRule,
	"gpu_needs_live_instance": refusedByRule,
}

// refusedByRule says of a rule that the database itself keeps that it was about to be broken: a fault of ours, without effect.
var refusedByRule = pair{"The database refused this, because it would break one of its rules. Nothing was changed.", "数据库拒绝了该操作，因为它会违反既定规则。未做任何更改。"}
