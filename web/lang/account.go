package lang

func (t T) SetupTitle() string { return t.pick("Set up Meterhouse", "初始化 Meterhouse") }
func (t T) SetupLead() string {
	return t.pick("This makes the first account, which may do everything on this site, and the first team, which pays for what it rents.",
		"这里将创建第一个账号（拥有站点全部权限）和第一个团队（由它承担租用费用）。")
}
func (t T) SetupCode() string { return t.pick("One-time code", "一次性验证码") }
func (t T) SetupCodeHint() string {
	return t.pick("Printed in the terminal in which the console was started.", "启动控制台的终端里已打印。")
}
func (t T) SetupCodeWrong() string {
	return t.pick("This is not the code from the terminal.", "与终端里打印的验证码不符。")
}
func (t T) SetupAccount() string { return t.pick("You", "你的账号") }
func (t T) SetupSite() string    { return t.pick("This site", "本站") }
func (t T) YourName() string     { return t.pick("Your name", "姓名") }
func (t T) Email() string        { return t.pick("E-mail", "邮箱") }
func (t T) EmailHint() string {
	return t.pick("You sign in with it; budget mail goes there.", "用于登录并接收预算邮件。")
}
func (t T) Password() string     { return t.pick("Password", "密码") }
func (t T) PasswordHint() string { return t.pick("At least 10 characters.", "至少 10 个字符。") }
func (t T) TeamName() string     { return t.pick("Team", "团队名称") }
func (t T) TimeZone() string     { return t.pick("Time zone", "时区") }
func (t T) TimeZoneHint() string {
	return t.pick("Days and months of bills begin at midnight there. For example Europe/Berlin.", "账单的日与月以该时区零点为界，例如 Asia/Shanghai。")
}
func (t T) CurrencyLabel() string { return t.pick("Currency", "货币") }
func (t T) CurrencyHint() string {
	return t.pick("Three letters, for example USD. It can't be changed once money was booked.", "三个字母，例如 CNY。记账开始后不可更改。")
}
func (t T) SetupButton() string { return t.pick("Set up and sign in", "完成初始化并登录") }
func (t T) SetupDone() string {
	return t.pick("Meterhouse is set up and you are signed in.", "Meterhouse 已初始化，你已登录。")
}

func (t T) LoginTitle() string  { return t.pick("Sign in", "登录") }
func (t T) LoginButton() string { return t.pick("Sign in", "登录") }
func (t T) LoginWrong() string {
	return t.pick("E-mail and password do not fit together.", "邮箱与密码不匹配。")
}
func (t T) LoginSlow(wait string) string {
	return t.pick("Too many tries. The next one is possible in "+wait+".", "尝试次数过多，请在 "+wait+" 后再试。")
}
func (t T) LoginLinkUsed() string {
	return t.pick("This link was used already or is too old. Ask for a new one.", "该链接已被使用或已过期，请重新获取。")
}
func (t T) LoginForgot() string {
	return t.pick("Forgotten? Whoever runs this site can set another one with “meterhouse admin user password”, or make a sign-in link with “meterhouse admin login-link”.", "忘记密码？站点管理员可用 “meterhouse admin user password” 重设密码，或用 “meterhouse admin login-link” 生成登录链接。")
}
func (t T) SignedOut() string { return t.pick("You are signed out.", "你已退出登录。") }
