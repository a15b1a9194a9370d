package uitest

import "testing"

func TestSigningOutEndsWhatOtherTabsShowLive(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	id := c.rent(admin, "watched", "sleep 600")
	watching := newTab(t, c, admin, screen{width: 1280})
	watching.visit("/instances/" + id)
	watching.until("live figures", says("live"))
	leaving := newTab(t, c, admin, screen{width: 1280})
	leaving.visit("/settings")
	leaving.click(`.side form[action="/logout"] button`)
	leaving.arrive("/login")
	// What the other tab asks for by itself is refused from now on.
	watching.expect("401|403|WebSocket|Failed to load")
	watching.until("the end of the live figures", `!(`+says("live")+`)`)
	if watching.open("/instances/" + id); watching.path() == "/instances/"+id {
		t.Error("the other tab still opens the instance's page")
	}
}

// A demo is looked at often: its link signs its first admin in, once.
func TestTheSignInLinkThatAConsolePrintsWorksOnce(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	c.asAdmin()
	c.kill9()
	c.start()
	path := c.loginPath()
	b := newTab(t, c, nil, screen{width: 1280})
	b.visit(path)
	if b.path() != "/" {
		b.click("main form button")
		b.until("home", `location.pathname === "/"`)
	}
	b.expect("401|403|404|410|422|429")
	again := newTab(t, c, nil, screen{width: 1280})
	again.expect("401|403|404|410|422|429")
	again.open(path)
	if again.has("main form button") {
		again.click("main form button")
		again.frame()
	}
	if again.open("/"); again.path() == "/" {
		t.Error("the link signed somebody in twice")
	}
}
