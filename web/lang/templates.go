package lang

// errorsOfTemplates are about saved launch forms, and about what instances are given in their environment.
var errorsOfTemplates = map[string]pair{
	"template_not_found":   {"There is no such template.", "没有该模板。"},
	"template_name_taken":  {"A template of this name is somebody else's. Choose another name.", "该名称的模板属于他人，请另取名称。"},
	"template_not_yours":   {"Only who saved this template, a manager or an admin deletes it.", "只有保存该模板的人、管理者或管理员可以删除它。"},
	"too_many_templates":   {"Your team has as many templates as there can be. Delete some first.", "团队的模板数量已达上限，请先删除一些。"},
	"secret_not_found":     {"There is no such secret any more.", "该机密已不存在。"},
	"secret_not_here":      {"There is no secret {name} that you can use. Set it on the page Templates.", "没有你可用的机密 {name}，请在“模板”页面设置。"},
	"secret_removed":       {"The secret {name} was removed.", "机密 {name} 已被删除。"},
	"secret_name_wrong":    {"A secret's name is made of letters, digits and “_”, such as HF_TOKEN.", "机密名称由字母、数字和“_”组成，例如 HF_TOKEN。"},
	"secret_needs_manager": {"The team's secrets are set and removed by its managers. You can set one of your own.", "团队机密由管理者设置和删除。你可以设置自己的机密。"},
	"too_many_secrets":     {"There are as many secrets as there can be. Remove some first.", "机密数量已达上限，请先删除一些。"},
	"secret_key_missing":   {"The key of the secrets, the file secrets.key in the data directory, can't be read or is another. Bring it back, or set the secrets again. Nothing was changed.", "无法读取机密密钥（数据目录中的 secrets.key），或密钥不符。请恢复该文件，或重新设置机密。未做任何更改。"},
	"env_key_wrong":        {"{name} is no name of a variable: letters, digits and “_”, not METERHOUSE_….", "{name} 不是有效的变量名：只能使用字母、数字和“_”，且不能以 METERHOUSE_ 开头。"},
	"env_doubled":          {"{name} is given by value and as a secret.", "{name} 同时以值和机密给出。"},
	"env_too_many":         {"These are more than 100 variables.", "变量超过 100 个。"},
	"wrong_env":            {"A variable a line, KEY=VALUE, each once.", "每行一个变量，格式为 KEY=VALUE，不可重复。"},
}

func (t T) NavTemplates() string   { return t.pick("Templates", "模板") }
func (t T) TemplatesTitle() string { return t.pick("Templates and secrets", "模板与机密") }
func (t T) TemplatesLead() string {
	return t.pick("saved launch forms, and values that instances are given by name", "已保存的租用表单，以及按名称提供给实例的值")
}
func (t T) TemplatesNone() string {
	return t.pick("No template is saved yet. The rent form saves what it is filled with.", "尚未保存模板。可在租用表单中将填写内容保存为模板。")
}
func (t T) TemplatesHeading() string { return t.pick("Templates", "模板") }
func (t T) TemplateSave() string     { return t.pick("Save as template", "保存为模板") }
func (t T) TemplateName() string     { return t.pick("Template's name", "模板名称") }
func (t T) TemplateNameHint() string {
	return t.pick("One of that name is replaced.", "同名模板会被替换。")
}
func (t T) TemplateShare() string   { return t.pick("My team can use it", "团队可用") }
func (t T) TemplateMine() string    { return t.pick("only you", "仅自己") }
func (t T) TemplateTeam() string    { return t.pick("the team", "团队") }
func (t T) TemplateFor() string     { return t.pick("For", "可用范围") }
func (t T) TemplateChanged() string { return t.pick("Changed", "更新") }
func (t T) TemplateAny() string     { return t.pick("any GPU", "任意 GPU") }
func (t T) TemplateUse() string     { return t.pick("Use", "使用") }
func (t T) TemplateUseOf(n string) string {
	return t.pick("Rent with "+n, "使用模板 "+n+" 租用")
}
func (t T) TemplateDeleteAsk(n string) string {
	return t.pick("Delete the template "+n+"?", "删除模板“"+n+"”？")
}
func (t T) TemplateDeleteMeans() string {
	return t.pick("What was rented with it goes on.", "使用该模板租用的实例不受影响。")
}
func (t T) TemplateSaved(n string) string {
	return t.pick("The template "+n+" is saved.", "模板“"+n+"”已保存。")
}
func (t T) TemplateRemoved() string { return t.pick("The template is deleted.", "模板已删除。") }
func (t T) Environment() string     { return t.pick("Environment", "环境变量") }
func (t T) EnvironmentHint() string {
	return t.pick("A variable a line, KEY=VALUE. Who sees the instance may see it: tokens and passwords belong below.", "每行一个变量，格式为 KEY=VALUE。可查看实例的人可能看到这些值；令牌与密码请填写在下方。")
}
func (t T) Secrets() string { return t.pick("Secrets", "机密") }
func (t T) SecretsHint(names string) string {
	if names == "" {
		return t.pick("By name, a line each: NAME, or KEY=NAME. None is set yet: see Templates.", "每行一个名称：NAME，或 KEY=NAME。尚未设置机密，请见“模板”页面。")
	}
	return t.pick("By name, a line each: NAME, or KEY=NAME. There are: "+names, "每行一个名称：NAME，或 KEY=NAME。可用："+names)
}
func (t T) SecretsNone() string { return t.pick("No secret is set.", "尚未设置机密。") }
func (t T) SecretSet() string   { return t.pick("Set a secret", "设置机密") }
func (t T) SecretName() string  { return t.pick("Secret's name", "机密名称") }
func (t T) SecretValue() string { return t.pick("Value", "值") }
func (t T) SecretShare() string { return t.pick("The team's", "团队共用") }
func (t T) SecretNote() string {
	return t.pick("It is kept encrypted and is never shown again. Who can enter an instance that has it can read it there.", "值以加密方式保存，不会再次显示。能进入使用该机密的实例的人可以在其中读取它。")
}
func (t T) SecretDeleteAsk(n string) string {
	return t.pick("Remove the secret "+n+"?", "删除机密“"+n+"”？")
}
func (t T) SecretDeleteMeans() string {
	return t.pick("What runs keeps it. What waits in the queue with it will not start.", "运行中的实例不受影响；使用该机密且正在排队的实例将无法启动。")
}
func (t T) SecretSaved(n string) string {
	return t.pick("The secret "+n+" is set.", "机密 "+n+" 已设置。")
}
func (t T) SecretIsRemoved() string { return t.pick("The secret is removed.", "机密已删除。") }
