package lang

func (t T) Profile() string           { return t.pick("Profile", "个人资料") }
func (t T) LanguageAndTime() string   { return t.pick("Language and time", "语言与时间") }
func (t T) Language() string          { return t.pick("Language", "语言") }
func (t T) LanguageOfBrowser() string { return t.pick("as the browser asks for", "跟随浏览器") }
func (t T) ZoneNote(zone string) string {
	return t.pick("All times and bills are in the site's zone, "+zone+".", "所有时间与账单均使用站点时区："+zone+"。")
}
func (t T) PasswordNow() string { return t.pick("Current password", "当前密码") }
func (t T) PasswordNew() string { return t.pick("New password", "新密码") }

// PasswordNote says what the form does; has is false where no password was set yet.
func (t T) PasswordNote(has bool) string {
	if !has {
		return t.pick("You have no password yet and sign in by link. With one you can sign in by yourself.", "你尚未设置密码，只能通过链接登录。设置后可自行登录。")
	}
	return t.pick("A new password signs you out everywhere but here. Tokens go on working.", "更改密码后，除当前会话外均会退出登录。令牌不受影响。")
}

func (t T) PasswordButton(has bool) string {
	if !has {
		return t.pick("Set the password", "设置密码")
	}
	return t.pick("Change the password", "更改密码")
}
func (t T) PasswordSaved() string {
	return t.pick("Your password is changed. You are signed out everywhere but here.", "密码已更改，其他登录会话均已退出。")
}
func (t T) Tokens() string { return t.pick("API tokens", "API 令牌") }
func (t T) TokensNote() string {
	return t.pick("A token acts as you: for the command line and scripts.", "令牌以你的身份操作，供命令行与脚本使用。")
}
func (t T) TokenName() string   { return t.pick("What it is for", "用途") }
func (t T) TokenButton() string { return t.pick("Make a token", "创建令牌") }
func (t T) TokenNew() string    { return t.pick("Your new token", "新令牌") }
func (t T) TokenOnce() string {
	return t.pick("It is shown this once; keep it safe.", "仅显示这一次，请妥善保存。")
}
func (t T) MadeAt() string                { return t.pick("made", "创建于") }
func (t T) NeverUsed() string             { return t.pick("never used", "从未使用") }
func (t T) LastUsed() string              { return t.pick("last used", "上次使用") }
func (t T) LastSeen() string              { return t.pick("last seen", "上次活动") }
func (t T) Revoke() string                { return t.pick("Revoke", "吊销") }
func (t T) RevokeName(name string) string { return t.pick("Revoke "+name, "吊销 "+name) }
func (t T) Keys() string                  { return t.pick("SSH keys", "SSH 公钥") }
func (t T) KeyName() string               { return t.pick("Name of the key", "公钥名称") }
func (t T) KeyText() string               { return t.pick("Public key", "公钥内容") }
func (t T) SSHHostKey() string {
	return t.pick("When SSH asks for the first time, this console's host key is", "首次连接 SSH 询问时，本控制台的主机密钥指纹为")
}
func (t T) KeyHint() string {
	return t.pick("One line, as in ~/.ssh/id_ed25519.pub.", "一行内容，即 ~/.ssh/id_ed25519.pub 中的文本。")
}
func (t T) KeyButton() string            { return t.pick("Add the key", "添加公钥") }
func (t T) Sessions() string             { return t.pick("Sign-ins", "登录会话") }
func (t T) ThisSession() string          { return t.pick("this one", "当前会话") }
func (t T) SignOutOf(name string) string { return t.pick("Sign out of "+name, "退出登录："+name) }
func (t T) SignOutHere() string          { return t.pick("Sign out here", "退出当前会话") }
func (t T) Saved() string                { return t.pick("Saved.", "已保存。") }
func (t T) KeyAdded(name string) string {
	return t.pick("The key "+name+" is added.", "公钥 "+name+" 已添加。")
}
func (t T) Deleted(name string) string { return t.pick(name+" is deleted.", name+" 已删除。") }
func (t T) TokenRevoked(name string) string {
	return t.pick("The token "+name+" works no more.", "令牌 "+name+" 已失效。")
}
func (t T) SessionEnded() string { return t.pick("That sign-in is ended.", "该会话已结束。") }

// SettingsAsk asks before something is ended: one of "tokens", "keys" or "sessions".
func (t T) SettingsAsk(kind, name string) string {
	switch kind {
	case "tokens":
		return t.pick("Revoke the token “"+name+"”?", "吊销令牌“"+name+"”？")
	case "keys":
		return t.pick("Delete the key “"+name+"”?", "删除公钥“"+name+"”？")
	}
	return t.pick("Sign out of “"+name+"”?", "退出“"+name+"”的登录？")
}

// SettingsAskMeans says what will be so afterwards.
func (t T) SettingsAskMeans(kind string) string {
	switch kind {
	case "tokens":
		return t.pick("Whatever uses it is refused at once. It can't be taken back; a new token can be made.", "使用该令牌的程序将立即被拒绝。此操作不可撤销，但可创建新令牌。")
	case "keys":
		return t.pick("It opens nothing any more. It can be added again.", "该公钥将不再有效，之后可重新添加。")
	}
	return t.pick("That browser has to sign in again. Instances go on running.", "该浏览器需要重新登录。实例继续运行。")
}

// SettingsAskButton is the answer that ends it.
func (t T) SettingsAskButton(kind, name string) string {
	switch kind {
	case "tokens":
		return t.RevokeName(name)
	case "keys":
		return t.DeleteName(name)
	}
	return t.SignOutOf(name)
}
