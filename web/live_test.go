package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/live"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// reading puts a reading of every GPU whose utilization is n.
func reading(site *webtest.Site, n int64) {
	for _, g := range site.GPUs {
		r := gpu.Reading{UUID: g.UUID, At: site.Clock.Now()}
		r.Values[gpu.Utilization], r.Values[gpu.Fan] = gpu.Known(n), gpu.Unknown(gpu.NotSupported)
		site.Fleet.Read(r)
	}
}

// watcher is a client of the live charts.
type watcher struct {
	t  *testing.T
	ws *websocket.Conn
	d  live.Decoder
}

func watch(t *testing.T, c *webtest.Client, query string) *watcher {
	t.Helper()
	ws, refused := c.Socket("/live?"+query, live.Subprotocol)
	if ws == nil {
		t.Fatalf("live: %d %s", refused.Status, refused.Body)
	}
	return &watcher{t: t, ws: ws}
}

func (w *watcher) next() live.Message {
	w.t.Helper()
	_ = w.ws.SetReadDeadline(time.Now().Add(10 * time.Second))
	kind, data, err := w.ws.ReadMessage()
	if err != nil || kind != websocket.BinaryMessage {
		w.t.Fatalf("no frame: %v %s", err, data)
	}
	m, err := w.d.Decode(data)
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// end reads on until the socket says why it ends.
func (w *watcher) end() string {
	w.t.Helper()
	_ = w.ws.SetReadDeadline(time.Now().Add(10 * time.Second))
	for {
		kind, data, err := w.ws.ReadMessage()
		if err != nil {
			w.t.Fatalf("ended without a reason: %v", err)
		}
		if kind != websocket.TextMessage {
			continue
		}
		var e struct{ Type, Reason string }
		if err := json.Unmarshal(data, &e); err != nil || e.Type != "end" {
			w.t.Fatalf("%v in %s", err, data)
		}
		if _, _, err := w.ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
			w.t.Errorf("not closed in order: %v", err)
		}
		return e.Reason
	}
}

func TestAWatcherGetsNowThenThePastThenWhatChanges(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	for n := range int64(3) {
		reading(site, n)
		site.Clock.Advance(time.Second)
	}
	w := watch(t, site.Browser(t, site.Member), "instance="+in.ID)
	key := w.next()
	if key.Kind != live.KindKeyframe || len(key.Frame.GPUs) != 1 || !key.Frame.GPUs[0].Simulated || key.Frame.Instance.Status != "running" {
		t.Fatalf("%+v", key)
	}
	if n, ok := key.Frame.GPUs[0].Values[gpu.Utilization].Get(); !ok || n != 2 {
		t.Errorf("utilization %d %v", n, ok)
	}
	if why := key.Frame.GPUs[0].Values[gpu.Fan].Why(); why != gpu.NotSupported {
		t.Errorf("fan: %v", why)
	}
	past := w.next()
	if past.Kind != live.KindBackfill || len(past.Backfill) != 3 || past.Backfill[2].CostMicros == nil {
		t.Fatalf("%+v", past)
	}
	if cost := *past.Backfill[2].CostMicros; cost != (2*in.RateMicrosPerHour+1800)/3600 {
		t.Errorf("cost after 2 s: %d", cost)
	}
	reading(site, 700)
	site.Fleet.Tick()
	delta := w.next()
	if n, _ := delta.Frame.GPUs[0].Values[gpu.Utilization].Get(); delta.Kind != live.KindDelta || n != 700 || delta.Seq != key.Seq+1 {
		t.Errorf("%+v", delta)
	}
	if delta.Frame.Instance.CostMicros != (3*in.RateMicrosPerHour+1800)/3600 {
		t.Errorf("cost after 3 s: %d", delta.Frame.Instance.CostMicros)
	}
}

func TestAnOldReadingIsSentWithItsAge(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	reading(site, 5)
	w := watch(t, site.Browser(t, site.Viewer), "fleet=1")
	if key := w.next(); len(key.Frame.GPUs) != 4 {
		t.Fatalf("%+v", key)
	}
	w.next()
	site.Clock.Advance(12 * time.Second)
	// Nothing ticks: the hub makes the frame by itself, as a reader that hangs must be seen.
	if m := w.next(); m.Frame.GPUs[0].Age != 12*time.Second {
		t.Errorf("age %v", m.Frame.GPUs[0].Age)
	}
}

func TestAWatcherResumesAfterWhatItSaw(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	browser := site.Browser(t, site.Member)
	w := watch(t, browser, "instance="+in.ID)
	w.next()
	w.next()
	var seen uint64
	for n := range int64(4) {
		site.Clock.Advance(time.Second)
		reading(site, n)
		site.Clock.Advance(time.Millisecond)
		site.Fleet.Tick()
		if m := w.next(); n == 1 {
			seen = m.Seq
		}
	}
	_ = w.ws.Close()
	missed := func(after uint64) int {
		again := watch(t, browser, "instance="+in.ID+"&after="+strconv.FormatUint(after, 10))
		again.next()
		return len(again.next().Backfill)
	}
	if n := missed(seen); n != 2 {
		t.Errorf("%d missed points, want 2", n)
	}
	if n := missed(3); n != 4 {
		t.Errorf("%d points after a frame of before the restart, want all 4", n)
	}
}

func TestASlowWatcherGetsTheLatestAndNothingQueues(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	w := watch(t, site.Browser(t, site.Viewer), "fleet=1")
	first := w.next()
	w.next()
	var last live.Message
	for n := range int64(200) {
		reading(site, n)
		site.Fleet.Tick()
	}
	for {
		last = w.next()
		if n, _ := last.Frame.GPUs[0].Values[gpu.Utilization].Get(); n == 199 {
			break
		}
	}
	if last.Seq < first.Seq {
		t.Errorf("%d after %d", last.Seq, first.Seq)
	}
}

func TestARevokedSessionLosesItsSocket(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	browser := site.Browser(t, site.Member)
	w := watch(t, browser, "fleet=1")
	w.next()
	sessions, err := site.Store.Sessions(context.Background(), site.Member.ID)
	for _, s := range sessions {
		err = site.Store.EndSession(context.Background(), site.Member.ID, s.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if reason := w.end(); reason != "signed_out" {
		t.Errorf("reason %q", reason)
	}
}

func TestTheEndOfAnInstanceEndsItsCharts(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	w := watch(t, site.Browser(t, site.Member), "instance="+in.ID)
	w.next()
	end(t, site, in.ID)
	if reason := w.end(); reason != "stopped" {
		t.Errorf("reason %q", reason)
	}
}

func TestLiveIsRefusedToOtherPagesAndOtherTeams(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	browser := site.Browser(t, site.Member)
	for name, test := range map[string]struct {
		c      *webtest.Client
		path   string
		header []string
		want   int
	}{
		"missing origin":   {browser, "/live?fleet=1", []string{"Origin", ""}, http.StatusForbidden},
		"another port":     {browser, "/live?fleet=1", []string{"Origin", "http://127.0.0.1:1"}, http.StatusForbidden},
		"another site":     {browser, "/live?fleet=1", []string{"Origin", "https://evil.example"}, http.StatusForbidden},
		"null":             {browser, "/live?fleet=1", []string{"Origin", "null"}, http.StatusForbidden},
		"another team":     {site.Browser(t, site.Stranger), "/live?instance=" + in.ID, nil, http.StatusNotFound},
		"nobody":           {site.Nobody(t), "/live?fleet=1", nil, http.StatusSeeOther},
		"nothing asked":    {browser, "/live", nil, http.StatusUnprocessableEntity},
		"both":             {browser, "/live?fleet=1&instance=" + in.ID, nil, http.StatusUnprocessableEntity},
		"no such instance": {browser, "/live?instance=..%2f", nil, http.StatusNotFound},
		"bad after":        {browser, "/live?fleet=1&after=x", nil, http.StatusUnprocessableEntity},
	} {
		if ws, a := test.c.Socket(test.path, live.Subprotocol, test.header...); ws != nil || a.Status != test.want {
			t.Errorf("%s: %d, want %d", name, a.Status, test.want)
		}
	}
	if ws, a := browser.Socket("/live?fleet=1", "something.else"); ws != nil || a.Status != http.StatusBadRequest {
		t.Errorf("another protocol: %d", a.Status)
	}
}

func TestOnePersonCanNotTakeAllSockets(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	browser := site.Browser(t, site.Member)
	for n := range 33 {
		ws, a := browser.Socket("/live?fleet=1", live.Subprotocol)
		if (ws == nil) != (n == 32) {
			t.Fatalf("socket %d: %d", n+1, a.Status)
		}
		if ws == nil && (a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "") {
			t.Errorf("%d %v", a.Status, a.Header)
		}
	}
	if ws, a := site.Browser(t, site.Viewer).Socket("/live?fleet=1", live.Subprotocol); ws == nil {
		t.Errorf("another person: %d", a.Status)
	}
}

func TestTheEndOfTheConsoleClosesSocketsAndReturnsSoon(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	w := watch(t, site.Browser(t, site.Viewer), "fleet=1")
	w.next()
	w.next()
	begun := time.Now()
	site.Stop()
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	_ = w.ws.SetReadDeadline(time.Now().Add(5 * time.Second))
	for {
		if _, _, err := w.ws.ReadMessage(); err != nil {
			if !websocket.IsCloseError(err, websocket.CloseGoingAway) {
				t.Errorf("%v", err)
			}
			return
		}
	}
}

func TestAWatcherHearsOfANewStateAtOnce(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	ctx := context.Background()
	in, _, err := site.Store.Rent(ctx, store.RentRequest{PersonID: site.Member.ID, Name: "job", GPUModel: site.GPUs[0].Model, GPUCount: 1, Kind: store.OnDemand, Command: "sleep 1000"})
	if err != nil {
		t.Fatal(err)
	}
	w := watch(t, site.Browser(t, site.Member), "instance="+in.ID)
	if key := w.next(); key.Frame.Instance.Status != "starting" {
		t.Fatalf("%+v", key.Frame.Instance)
	}
	w.next()
	w.next() // made by the clock, as nothing ticks here: the next one would come a second and a half later
	began := time.Now()
	if err := site.Store.MarkRunning(ctx, in.ID, site.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	if m, took := w.next(), time.Since(began); m.Frame.Instance.Status != "running" || took > time.Second {
		t.Errorf("after %v: %+v", took, m.Frame.Instance)
	}
}
