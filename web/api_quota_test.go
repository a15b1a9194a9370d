package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/web/webtest"
)

// A limit of GPUs is in thousandths: who forgets that is told so, and nobody is kept from all.
func TestALimitOfLessThanAGPUIsTakenForAMistake(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	admin := site.Program(t, site.Admin)
	for kind, limits := range map[string]map[int64]int{
		"gpus":      {1: http.StatusUnprocessableEntity, 4: http.StatusUnprocessableEntity, 999: http.StatusUnprocessableEntity, 0: http.StatusOK, 1000: http.StatusOK, 4000: http.StatusOK},
		"instances": {1: http.StatusOK, 4: http.StatusOK},
		"rate":      {4: http.StatusOK},
	} {
		for limit, want := range limits {
			a := admin.Call("POST", "/quotas", fmt.Sprintf(`{"kind":%q,"limit":%d}`, kind, limit), nil)
			if a.Status != want || want != http.StatusOK && !strings.Contains(a.Body, "4 GPUs are 4000") {
				t.Errorf("%d of %s: %d %s", limit, kind, a.Status, a.Body)
			}
		}
	}
}
