package web_test

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// volumeSite is a site with a volume of the member's own that its node has made.
func volumeSite(t *testing.T) (*webtest.Site, store.Volume, string) {
	t.Helper()
	site := webtest.Start(t)
	site.Fleet.Volumes = t.TempDir()
	v, _, err := site.Store.CreateVolume(context.Background(), site.Member.ID, store.NewVolume{Name: "data", GiB: 200})
	if err == nil {
		err = site.Store.MarkVolumeReady(context.Background(), v.ID, 200, site.Clock.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	return site, v, filepath.Join(site.Fleet.Volumes, v.ID)
}

func TestAPrivateVolumeIsNobodyElsesAndASharedOneTheTeams(t *testing.T) {
	t.Parallel()
	site, v, _ := volumeSite(t)
	path := "/volumes/" + v.ID
	owner := site.Program(t, site.Member)
	for _, shared := range []bool{false, true} {
		if shared {
			if a := owner.Call("PUT", path, `{"shared":true}`, nil); a.Status != http.StatusOK {
				t.Fatalf("share: %d %s", a.Status, a.Body)
			}
		}
		for who, want := range map[*store.Person][2]int{&site.Viewer: {404, 403}, &site.Stranger: {404, 404}, &site.Manager: {200, 200}, &site.Member: {200, 200}} {
			if shared && who == &site.Viewer {
				want[0] = 200
			}
			p := site.Program(t, *who)
			if a := p.Call("GET", path, "", nil); a.Status != want[0] {
				t.Errorf("shared %v: %s sees it with %d, want %d", shared, who.Name, a.Status, want[0])
			}
			if a := p.Call("POST", path+"/files?path=of-"+url.QueryEscape(who.Name)+map[bool]string{true: "-2"}[shared], "", nil); (a.Status < 300) != (want[1] == 200) {
				t.Errorf("shared %v: %s changes it with %d, want %d", shared, who.Name, a.Status, want[1])
			}
		}
	}
}

func TestNoPathLeadsOutOfAVolume(t *testing.T) {
	t.Parallel()
	site, v, dir := volumeSite(t)
	p := site.Program(t, site.Member)
	if a := p.Call("GET", "/volumes/"+v.ID+"/files", "", nil); a.Status != http.StatusOK {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("of the node"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../x", "a/../../x", "out/secret", "/../../etc/passwd", "out"} {
		for _, call := range []string{"GET /content", "GET /files", "POST /files"} {
			method, under, _ := strings.Cut(call, " ")
			if path == "out" && method == "POST" {
				continue
			}
			a := p.Call(method, "/volumes/"+v.ID+under+"?path="+url.QueryEscape(path), "", nil)
			if a.Status != http.StatusUnprocessableEntity || strings.Contains(a.Body, "of the node") {
				t.Errorf("%s %s: %d %s", call, path, a.Status, a.Body)
			}
		}
	}
}

func TestAnInstanceIsRentedWithAVolumeThatOneInstanceWrites(t *testing.T) {
	t.Parallel()
	site, v, _ := volumeSite(t)
	p := site.Program(t, site.Member)
	body := `{"cpu_only":true,"volumes":[{"volume":"data","path":"/data","read_only":false}]}`
	if a := p.Call("POST", "/instances", body, nil); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := p.Call("POST", "/instances", body, nil); a.Status != http.StatusConflict || !strings.Contains(a.Body, "works in this volume") {
		t.Errorf("a second writer: %d %s", a.Status, a.Body)
	}
	if a := p.Call("DELETE", "/volumes/"+v.ID, "", nil); a.Status != http.StatusConflict {
		t.Errorf("deleted under an instance: %d %s", a.Status, a.Body)
	}
	if a := p.Call("POST", "/instances", `{"cpu_only":true,"volumes":[{"volume":"data","path":"/etc","read_only":false}]}`, nil); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("in the place of /etc: %d %s", a.Status, a.Body)
	}
}

func TestFilesAreBroughtAndTakenByTheBrowserAlone(t *testing.T) {
	t.Parallel()
	site, v, dir := volumeSite(t)
	b := site.Browser(t, site.Member)
	path := "/volumes/" + v.ID
	if a := b.Get(path); a.Status != http.StatusOK || !strings.Contains(a.Body, "Nothing is here.") {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	big := strings.Repeat("0123456789abcdef", 1<<17) // 2 MiB: more than any other body may have
	send := func(csrf, dir, name, content string) webtest.Answer {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		for _, field := range [][2]string{{"csrf", csrf}, {"path", dir}} {
			if err := w.WriteField(field[0], field[1]); err != nil {
				t.Fatal(err)
			}
		}
		part, err := w.CreateFormFile("file", name)
		if err == nil {
			_, err = part.Write([]byte(content))
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.Do("POST", path+"/upload", &body, "Content-Type", w.FormDataContentType(), "Origin", site.URL, "Sec-Fetch-Site", "same-origin")
	}
	if a := send("forged", ".", "file", "x"); a.Status != http.StatusForbidden {
		t.Errorf("forged: %d", a.Status)
	}
	if a := b.Form(path+"/directory", url.Values{"path": {"."}, "name": {"deep"}}); a.Status != http.StatusSeeOther {
		t.Errorf("directory: %d %s", a.Status, a.Body)
	}
	if a := send(b.CSRF, "deep", "../../big\u202e.bin", big); a.Status != http.StatusSeeOther {
		t.Fatalf("upload: %d %s", a.Status, a.Body)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "deep", "big\u202e.bin")); err != nil || string(text) != big {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	a := b.Get(path + "?path=deep")
	if a.Status != http.StatusOK || strings.Contains(strings.ReplaceAll(a.Body, `value="big`+"\u202e", ""), ">big\u202e") || !strings.Contains(a.Body, `big\u{202e}.bin`) {
		t.Errorf("%d: a name can forge another:\n%s", a.Status, a.Body)
	}
	a = b.Get(path + "/download?path=" + url.QueryEscape("deep/big\u202e.bin"))
	if a.Body != big || a.Header.Get("Content-Type") != "application/octet-stream" || !strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("download: %d, %d bytes, %v", a.Status, len(a.Body), a.Header)
	}
	if a := b.Form(path+"/remove", url.Values{"path": {"."}, "name": {"deep"}}); a.Status != http.StatusSeeOther {
		t.Errorf("remove: %d %s", a.Status, a.Body)
	}
	if a := b.Form(path+"/remove", url.Values{"path": {"."}, "name": {".."}}); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("remove ..: %d", a.Status)
	}
	if a := b.Form(path+"/delete", url.Values{"typed": {"dat"}}); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("deleted by another name: %d", a.Status)
	}
	if a := b.Form(path+"/delete", url.Values{"typed": {"data"}}); a.Status != http.StatusSeeOther {
		t.Errorf("delete: %d %s", a.Status, a.Body)
	}
}

func TestAVolumeIsMadeByAForm(t *testing.T) {
	t.Parallel()
	site, _, _ := volumeSite(t)
	b := site.Browser(t, site.Member)
	if a := b.Get("/volumes"); a.Status != http.StatusOK || !strings.Contains(a.Body, ">data<") {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := b.Form("/volumes", url.Values{"name": {"data"}, "gib": {"1"}}); a.Status != http.StatusConflict {
		t.Errorf("the same name: %d", a.Status)
	}
	if a := b.Form("/volumes", url.Values{"name": {"models"}, "gib": {"0"}}); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `value="models"`) {
		t.Errorf("no size: %d", a.Status)
	}
	if a := b.Form("/volumes", url.Values{"name": {"models"}, "gib": {"20"}, "shared": {"1"}}); a.Status != http.StatusSeeOther {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := b.Get("/volumes"); !strings.Contains(a.Body, ">models<") {
		t.Error("it is not there")
	}
}
