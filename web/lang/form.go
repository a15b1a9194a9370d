package lang

import "fmt"

// FormProblems is the heading of what is wrong with a form.
func (t T) FormProblems(n int) string {
	if n == 1 {
		return t.pick("One thing has to be put right.", "有一处需要更正。")
	}
	return t.pick(fmt.Sprintf("%d things have to be put right.", n), fmt.Sprintf("有 %d 处需要更正。", n))
}

// Pages is the name of the links that turn a list's pages.
func (t T) Pages() string { return t.pick("Pages", "分页") }

// Optional marks what may be left empty.
func (t T) Optional() string { return t.pick("May be left empty.", "可留空。") }

// Messages about a field; label is the field's own label.

func (t T) Required(label string) string {
	return t.pick(label+" is missing.", "请填写“"+label+"”。")
}

func (t T) TooLong(label string, limit int) string {
	return t.pick(fmt.Sprintf("%s is longer than %d characters.", label, limit), fmt.Sprintf("“%s”超过了 %d 个字符。", label, limit))
}

func (t T) NotANumber(label string) string {
	return t.pick(label+" must be a number.", "“"+label+"”必须是数字。")
}

func (t T) OutOfRange(label, low, high string) string {
	return t.pick(label+" must be between "+low+" and "+high+".", "“"+label+"”必须介于 "+low+" 与 "+high+" 之间。")
}

func (t T) NotAChoice(label string) string {
	return t.pick(label+": choose one of the list.", "“"+label+"”：请从列表中选择。")
}

func (t T) Malformed(label string) string {
	return t.pick(label+" is not written in a way that can be read.", "“"+label+"”的格式无法识别。")
}

func (t T) Taken(label string) string {
	return t.pick(label+" is taken already.", "“"+label+"”已被占用。")
}

func (t T) InThePast(label string) string {
	return t.pick(label+" lies in the past.", "“"+label+"”早于当前时间。")
}

func (t T) EmailMalformed() string {
	return t.pick("That is not an e-mail address.", "这不是有效的邮箱地址。")
}

func (t T) PasswordShort(least int) string {
	return t.pick(fmt.Sprintf("The password needs at least %d characters.", least), fmt.Sprintf("密码至少需要 %d 个字符。", least))
}

func (t T) ConfirmWrong(name string) string {
	return t.pick("To confirm, the name must be “"+name+"”.", "请输入名称“"+name+"”以确认。")
}

// FormExpired says that a form's secret did not fit, mostly because the person signed in anew.
func (t T) FormExpired() string {
	return t.pick("This form was made for an earlier sign-in. Nothing was done; send it once more.", "该表单属于之前的登录会话，未执行任何操作，请重新提交。")
}
