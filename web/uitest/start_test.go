package uitest

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// The figures that the project promises, in milliseconds, are logged; what a test holds is wider, for a machine that is busy.
const (
	promisedFirstPage = 150 * time.Millisecond
	heldFirstPage     = time.Second
	promisedPrompt    = 2 * time.Second
	heldPrompt        = 15 * time.Second
	promisedChart     = 2 * time.Second
	heldChart         = 15 * time.Second
)

func TestFirstPageComesAtOnceAfterReadiness(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	began := time.Now()
	client := http.Client{Timeout: 10 * time.Second}
	res, err := client.Get(c.url("/"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(res.Body)
	res.Body.Close()
	took := time.Since(began)
	if err != nil || res.StatusCode != http.StatusOK || len(page) == 0 {
		t.Fatalf("the first page: %d, %d bytes, %v", res.StatusCode, len(page), err)
	}
	t.Logf("ready after %v, first page in %v (promised: %v)", c.ready, took, promisedFirstPage)
	if took > heldFirstPage {
		t.Errorf("the first page took %v", took)
	}
}
