package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/web/webtest"
)

// upload sends the form of a replay as a browser does.
func upload(t *testing.T, site *webtest.Site, c *webtest.Client, file string, fields map[string]string) webtest.Answer {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	err := form.WriteField("csrf", c.CSRF)
	for name, value := range fields {
		if err == nil {
			err = form.WriteField(name, value)
		}
	}
	if err == nil && file != "" {
		part, made := form.CreateFormFile("file", "week.csv")
		if err = made; err == nil {
			_, err = part.Write([]byte(file))
		}
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(http.MethodPost, "/admin/prices/replay", &b, "Content-Type", form.FormDataContentType(), "Origin", site.URL, "Sec-Fetch-Site", "same-origin")
}

func TestAWorkloadIsReplayedOnThePage(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	admin := site.Browser(t, site.Admin)
	const file = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\na,1000,1024,1,1000,,LS,Succeeded,0,3600,0\n"
	fields := map[string]string{"model": "A100-SXM4-80GB", "gpus": "4", "per_node": "4", "price": "2.50"}
	for name, bad := range map[string]string{"gpus": "x", "per_node": "0", "price": "?", "model": ""} {
		wrong := map[string]string{}
		for k, v := range fields {
			wrong[k] = v
		}
		wrong[name] = bad
		if a := upload(t, site, admin, file, wrong); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `href="#f-`+name+`"`) {
			t.Errorf("%s %q: %d", name, bad, a.Status)
		}
	}
	for _, bad := range []string{"", "x", "name\n\"", strings.Repeat("x", 2<<20)} {
		if a := upload(t, site, admin, bad, fields); a.Status != http.StatusUnprocessableEntity && a.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("a file of %d bytes: %d", len(bad), a.Status)
		}
	}
	if a := upload(t, site, admin, file, fields); a.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := upload(t, site, admin, file, fields); a.Status != http.StatusConflict {
		t.Errorf("a second one: %d", a.Status)
	}
	if n, err := site.Store.RunJobs(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d %v", n, err)
	}
	page := admin.Get("/admin/prices/replay")
	for _, want := range []string{"week.csv", "$2.500000", "1 / 1", "$0.000000"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("no %q in %s", want, page.Body)
		}
	}
	if a := admin.Form("/admin/prices/replay/cancel", url.Values{}); a.Status != http.StatusSeeOther {
		t.Errorf("%d", a.Status)
	}
}
