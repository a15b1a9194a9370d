package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/web/webtest"
)

// What is granted is in thousandths as well: who decides for 4 means four, and would have granted next to nothing.
func TestAGrantOfLessThanAGPUIsTakenForAMistake(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	admin, member := site.Program(t, site.Admin), site.Program(t, site.Member)
	for kind, limits := range map[string][]struct {
		limit  int64
		status int
	}{
		"gpus":      {{1, http.StatusUnprocessableEntity}, {4, http.StatusUnprocessableEntity}, {999, http.StatusUnprocessableEntity}, {4000, http.StatusOK}},
		"instances": {{4, http.StatusOK}},
	} {
		var quota, request struct {
			ID string `json:"id"`
		}
		admin.Call("POST", "/quotas", fmt.Sprintf(`{"kind":%q,"limit":0}`, kind), &quota)
		if a := member.Call("POST", "/quotas/requests", fmt.Sprintf(`{"quota_id":%q,"limit":2000,"hours":8,"why":"a deadline"}`, quota.ID), &request); a.Status != http.StatusCreated {
			t.Fatalf("%s: %d %s", kind, a.Status, a.Body)
		}
		for _, l := range limits {
			decision := fmt.Sprintf(`{"grant":true,"limit":%d}`, l.limit)
			if a := member.Call("POST", "/quotas/requests/"+request.ID+"/decide", decision, nil); a.Status != http.StatusForbidden {
				t.Errorf("by a member: %d %s", a.Status, a.Body)
			}
			a := admin.Call("POST", "/quotas/requests/"+request.ID+"/decide", decision, nil)
			if a.Status != l.status || l.status != http.StatusOK && !strings.Contains(a.Body, "4 GPUs are 4000") {
				t.Errorf("%d of %s: %d %s", l.limit, kind, a.Status, a.Body)
			}
		}
	}
}

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
