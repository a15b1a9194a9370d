package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWhoStopsFollowingALogIsToldOfNoError(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "begun\n")
		http.NewResponseController(w).Flush()
		stop()
		<-r.Context().Done()
	}))
	defer s.Close()
	env := map[string]string{"METERHOUSE_URL": s.URL, "METERHOUSE_TOKEN": "mh_x"}
	var out, errOut bytes.Buffer
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	code := execute(ctx, terminal{in: strings.NewReader(""), out: &out, err: &errOut, lookup: lookup}, []string{"logs", "-f", "i-1"})
	if code != exitDone || errOut.Len() > 0 {
		t.Errorf("status %d, stderr %q", code, errOut.String())
	}
}
