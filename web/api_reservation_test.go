package web_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

func TestAReservationThatOverlapsIsToldTheNearestFreeInterval(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	member := site.Program(t, site.Member)
	start := site.Clock.Now().Add(72 * time.Hour)
	body := map[string]any{"gpu_model": "A100-SXM4-80GB", "gpu_count": 4, "start": start, "end": start.Add(5 * time.Hour), "idempotency_key": "once"}
	var models web.GPUs
	if member.Call("GET", "/gpus", nil, &models); len(models.GPUs) == 0 {
		t.Fatal("no GPUs")
	}
	body["gpu_model"], body["gpu_count"] = models.GPUs[0].GPUModel, len(models.GPUs)
	var made, again web.Reservation
	if a := member.Call("POST", "/reservations", body, &made); a.Status != http.StatusCreated || a.Header.Get("Location") != "/api/v1/reservations/"+made.ID {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if made.Status != "booked" || made.TotalMicros <= 0 || len(made.GPUs) != len(models.GPUs) || !made.Start.Equal(start) {
		t.Errorf("%+v", made)
	}
	if member.Call("POST", "/reservations", body, &again); again.ID != made.ID {
		t.Errorf("sent again: %s and %s", made.ID, again.ID)
	}
	one := map[string]any{"gpu_model": body["gpu_model"], "gpu_count": 1, "start": start.Add(time.Hour), "end": start.Add(2 * time.Hour)}
	a := member.Call("POST", "/reservations", one, nil)
	problem := problemOf(t, a)
	if a.Status != http.StatusConflict {
		t.Fatalf("an overlap: %d %s", a.Status, a.Body)
	}
	if problem.Nearest == nil || !problem.Nearest.Start.Equal(start.Add(-time.Hour)) || len(problem.Overlaps) != 1 || problem.Overlaps[0] != made.ID {
		t.Errorf("%+v", problem)
	}
	var list web.Reservations
	if member.Call("GET", "/reservations?open=1", nil, &list); len(list.Reservations) != 1 {
		t.Errorf("%+v", list)
	}
	var gone web.Reservation
	if a := member.Call("DELETE", "/reservations/"+made.ID, nil, &gone); a.Status != http.StatusOK || gone.Status != "cancelled" || gone.FeeMicros != 0 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := member.Call("POST", "/reservations", one, nil); a.Status != http.StatusCreated {
		t.Errorf("after the cancellation: %d %s", a.Status, a.Body)
	}
}

func problemOf(t *testing.T, a webtest.Answer) (p web.Problem) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.Body), &p); err != nil {
		t.Errorf("%v in %s", err, a.Body)
	}
	return p
}

func TestAReservationThatIsWrongSaysWhichFieldIs(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	member := site.Program(t, site.Member)
	now := site.Clock.Now()
	for _, c := range []struct {
		body   map[string]any
		status int
		field  string
	}{
		{map[string]any{"gpu_count": 1, "start": now.Add(2 * time.Hour), "end": now.Add(time.Hour)}, 422, "end"},
		{map[string]any{"gpu_count": 1, "start": now.Add(time.Hour), "end": now.Add(time.Hour)}, 422, "end"},
		{map[string]any{"gpu_count": 1, "start": now.Add(-time.Hour), "end": now.Add(time.Hour)}, 422, "start"},
		{map[string]any{"gpu_count": 1, "start": now.Add(time.Hour), "end": now.Add(time.Hour + time.Minute)}, 422, "end"},
		{map[string]any{"gpu_count": 1, "start": now.Add(time.Hour), "end": now.AddDate(9, 0, 0)}, 422, "end"},
		{map[string]any{"gpu_count": -1, "start": now.Add(time.Hour), "end": now.Add(2 * time.Hour)}, 422, "gpu_count"},
		{map[string]any{"gpu_count": 3, "start": now.Add(time.Hour), "end": now.Add(2 * time.Hour)}, 422, "gpu_count"},
		{map[string]any{"gpu_model": "none", "start": now.Add(time.Hour), "end": now.Add(2 * time.Hour)}, 422, "gpu_model"},
		{map[string]any{"gpus": []string{"GPU-none"}, "start": now.Add(time.Hour), "end": now.Add(2 * time.Hour)}, 422, "gpus"},
		{map[string]any{"plan": "cpu-2", "start": now.Add(time.Hour), "end": now.Add(2 * time.Hour)}, 422, "plan"},
		{map[string]any{"start": now.Add(time.Hour), "end": now.Add(2 * time.Hour)}, 422, "gpu_model"},
		{map[string]any{"gpu_count": 1, "start": "tomorrow", "end": now}, 422, "start"},
		{map[string]any{}, 422, "start"},
	} {
		a := member.Call("POST", "/reservations", c.body, nil)
		problem := problemOf(t, a)
		if a.Status != c.status || c.field != "" && (len(problem.Errors) != 1 || problem.Errors[0].Field != c.field) {
			t.Errorf("%v: %d %s", c.body, a.Status, a.Body)
		}
	}
	viewer := site.Program(t, site.Viewer)
	if a := viewer.Call("POST", "/reservations", map[string]any{"gpu_count": 1, "start": now.Add(time.Hour), "end": now.Add(2 * time.Hour)}, nil); a.Status != http.StatusForbidden {
		t.Errorf("a viewer: %d", a.Status)
	}
}
