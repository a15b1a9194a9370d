package store_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/idle"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// idler is a site that stops what is idle, with an instance at 1.00 an hour that runs.
type idler struct {
	t     *testing.T
	s     *store.Store
	clock *storetest.Clock
	seed  storetest.Seeded
	i     store.Instance
	dir   string
}

func newIdler(t *testing.T, set idle.Settings, r store.RentRequest) *idler {
	t.Helper()
	d := &idler{t: t, dir: t.TempDir(), clock: storetest.NewClock()}
	d.s = storetest.OpenDir(t, d.dir, d.clock)
	d.seed = storetest.SeedQuick(t, d.s)
	storetest.Price(t, d.s, "a100-sxm4-80gb-x1", 1_000_000)
	if r.GPUCount == 0 {
		r.GPUCount, r.Name = 1, "training"
	}
	d.i = rent(t, d.s, d.seed, r)
	running(t, d.s, d.i, d.clock.Now())
	if err := d.s.SetIdle(ctx, d.seed.Admin.ID, set); err != nil {
		t.Fatal(err)
	}
	return d
}

// pass lets time go by, a minute at a time, with the instance's GPU active for a share of it, below 0 if that is not known.
func (d *idler) pass(minutes int, percent time.Duration) (taken int) {
	d.t.Helper()
	for range minutes {
		from := d.clock.Now()
		a := store.Activity{InstanceID: d.i.ID, At: from.Truncate(idle.Span), Known: time.Minute, Busy: time.Minute * max(percent, 0) / 100, Used: time.Minute * max(percent, 0) / 100, Memory: 1 << 30}
		d.clock.Advance(time.Minute)
		if percent >= 0 {
			if err := d.s.AddActivity(ctx, []store.Activity{a}); err != nil {
				d.t.Fatal(err)
			}
		}
		taken += d.tend()
	}
	return taken
}

func (d *idler) tend() int {
	d.t.Helper()
	n, err := d.s.TendIdle(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

func (d *idler) told() store.InstanceIdle {
	d.t.Helper()
	told, err := d.s.InstanceIdle(ctx, d.i.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	return told
}

var hourly = idle.Settings{On: true, Mail: time.Hour, Stop: 2 * time.Hour}

// TestTheOneStopTimeIsToldAndKept is L9: the page and the mail state the one moment, and that is when it is stopped.
func TestTheOneStopTimeIsToldAndKept(t *testing.T) {
	d := newIdler(t, hourly, store.RentRequest{})
	began := d.clock.Now()
	d.pass(59, 1)
	if told := d.told(); told.Since == nil || !told.Since.Equal(began) || told.StopsAt != nil || len(mails(t, d.s, "idle_warning")) != 0 {
		t.Errorf("before its mail: %+v", told)
	}
	d.pass(1, 1)
	at := began.Add(2 * time.Hour)
	m := mails(t, d.s, "idle_warning")
	if told := d.told(); told.StopsAt == nil || !told.StopsAt.Equal(at) || len(m) != 1 || m[0].Data["at"] != at.Format(time.RFC3339) || m[0].To != d.seed.Member.Email {
		t.Fatalf("%+v, %+v", told, m)
	}
	if err := d.s.SetIdle(ctx, "", idle.Settings{On: true, Mail: time.Hour, Stop: 5 * time.Hour}); err != nil {
		t.Fatal(err)
	}
	d.pass(59, 1)
	if state, _ := stateOf(t, d.s, d.i.ID); state != life.Running {
		t.Errorf("%s before its moment", state)
	}
	if why, err := d.s.MailStale(ctx, m[0]); why != "" || err != nil {
		t.Errorf("its mail is %q, %v", why, err)
	}
	var wg sync.WaitGroup
	d.clock.Set(at)
	if err := d.s.AddActivity(ctx, []store.Activity{{InstanceID: d.i.ID, At: at.Add(-idle.Span), Known: time.Minute, Memory: 1 << 30}}); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		wg.Go(func() { _, _ = d.s.TendIdle(ctx) })
	}
	wg.Wait()
	if state, why := stateOf(t, d.s, d.i.ID); state != life.Stopping || why != "idle" {
		t.Errorf("%s because of %q", state, why)
	}
	if n := events(t, d.s, d.i.ID, "stop_requested"); n != 1 {
		t.Errorf("asked to stop %d times", n)
	}
	ended(t, d.s, d.i, store.End{})
	if m := mails(t, d.s, "instance_stopped"); len(m) != 1 || m[0].Data["reason"] != "idle" {
		t.Errorf("%+v", m)
	}
	if bill, err := d.s.Bill(ctx, d.i.ID); err != nil || bill.TotalMicros != 2_000_000 {
		t.Errorf("billed %d, %v", bill.TotalMicros, err)
	}
}

func TestALongNoticeIsWarnedOfAnHourBefore(t *testing.T) {
	d := newIdler(t, idle.Settings{On: true, Mail: 30 * time.Minute, Stop: 4 * time.Hour}, store.RentRequest{})
	for _, c := range []struct{ minutes, mails int }{{60, 1}, {119, 1}, {2, 2}, {58, 2}} {
		d.pass(c.minutes, 0)
		if m := mails(t, d.s, "idle_warning"); len(m) != c.mails || m[len(m)-1].Data["at"] != m[0].Data["at"] {
			t.Errorf("%d mails, want %d of one moment", len(m), c.mails)
		}
	}
}

// TestWhatWorksIsNotStopped is L7: what computes goes on, although nobody looks at it, and what was told is over.
func TestWhatWorksIsNotStopped(t *testing.T) {
	d := newIdler(t, hourly, store.RentRequest{})
	d.pass(300, 40)
	if told := d.told(); told.State != idle.Active || told.Since != nil {
		t.Errorf("after five hours of work: %+v", told)
	}
	d.pass(70, 0)
	if d.told().StopsAt == nil {
		t.Fatal("not told")
	}
	m := mails(t, d.s, "idle_warning")[0]
	d.pass(5, 100)
	if told := d.told(); told.StopsAt != nil || events(t, d.s, d.i.ID, "idle_over") != 1 {
		t.Errorf("it works again: %+v", told)
	}
	if why, err := d.s.MailStale(ctx, m); why == "" || err != nil {
		t.Errorf("the mail still goes out: %v", err)
	}
}

func TestWhatIsNotKnownIsNotStopped(t *testing.T) {
	d := newIdler(t, hourly, store.RentRequest{})
	d.pass(300, -1)
	if told := d.told(); told.State != idle.Unknown || told.Since != nil {
		t.Errorf("%+v", told)
	}
	d.pass(65, 0)
	at := d.told().StopsAt
	if at == nil {
		t.Fatal("not told")
	}
	d.pass(70, -1)
	if state, _ := stateOf(t, d.s, d.i.ID); state != life.Running || d.told().StopsAt != nil {
		t.Errorf("%s after its moment in the dark", state)
	}
	d.pass(30, 0)
	if told := d.told(); told.Since == nil || told.StopsAt != nil {
		t.Errorf("known again: %+v", told)
	}
	d.pass(30, 0)
	if told := d.told(); told.StopsAt == nil || told.StopsAt.Sub(d.clock.Now()) < 55*time.Minute {
		t.Errorf("told anew: %+v at %v", told, d.clock.Now())
	}
}

// TestARestartForgetsNothingAndConcludesNothing opens the database anew in the middle, a minute lost.
func TestARestartForgetsNothingAndConcludesNothing(t *testing.T) {
	d := newIdler(t, hourly, store.RentRequest{})
	d.pass(61, 0)
	before := d.told()
	d.s = storetest.OpenDir(t, d.dir, d.clock)
	d.pass(1, -1)
	if told := d.told(); told.StopsAt == nil || !told.StopsAt.Equal(*before.StopsAt) || told.State != idle.Idle {
		t.Errorf("%+v, before %+v", told, before)
	}
	d.clock.Advance(2 * time.Hour) // no console ran at the moment
	d.tend()
	if state, _ := stateOf(t, d.s, d.i.ID); state != life.Running || d.told().StopsAt != nil {
		t.Errorf("%s by a moment at which nobody looked", state)
	}
}

func TestKeepIsOnceAndForADay(t *testing.T) {
	d := newIdler(t, hourly, store.RentRequest{})
	d.pass(61, 0)
	for range 3 {
		if _, err := d.s.Keep(ctx, d.i.ID, d.seed.Member.ID); err != nil {
			t.Fatal(err)
		}
		d.clock.Advance(time.Second)
	}
	told := d.told()
	if told.KeptUntil == nil || told.StopsAt != nil || told.KeptBy != "member" || events(t, d.s, d.i.ID, "kept") != 1 {
		t.Errorf("%+v", told)
	}
	d.pass(23*60, 0)
	if d.told().Since != nil {
		t.Error("noted while it is kept")
	}
	d.pass(120, 0)
	if told := d.told(); told.Since == nil || told.StopsAt == nil || told.StopsAt.Sub(d.clock.Now()) > time.Hour {
		t.Errorf("after a day: %+v", told)
	}
	if _, err := d.s.Keep(ctx, d.i.ID, other(t, d.s).ID); store.KindOf(err) != store.NotFound {
		t.Errorf("another team: %v", err)
	}
}

func other(t *testing.T, s *store.Store) store.Person {
	t.Helper()
	p, err := s.AddPerson(ctx, store.NewPerson{Name: "stranger", Email: "stranger@example.org", Role: store.Manager, Team: "physics"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheLinkInTheMailKeepsForADay(t *testing.T) {
	d := newIdler(t, hourly, store.RentRequest{})
	d.pass(61, 0)
	token := mails(t, d.s, "idle_warning")[0].Data["keep"]
	for _, bad := range []string{"", "1", "1.2", token + "0", strings.Replace(token, ".", ".9", 1), "2" + token[1:]} {
		if _, err := d.s.KeepByLink(ctx, bad); store.KindOf(err) != store.NotFound {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if i, err := d.s.InstanceOfKeep(ctx, token); err != nil || i.ID != d.i.ID || d.told().StopsAt == nil {
		t.Errorf("looking at it: %v, %+v", err, d.told())
	}
	for range 2 {
		if _, err := d.s.KeepByLink(ctx, token); err != nil {
			t.Fatal(err)
		}
	}
	if told := d.told(); told.KeptUntil == nil || told.StopsAt != nil {
		t.Errorf("%+v", told)
	}
	d.clock.Advance(24 * time.Hour)
	if _, err := d.s.KeepByLink(ctx, token); store.KindOf(err) != store.NotFound {
		t.Errorf("a day later: %v", err)
	}
}

// TestAMinimumWinsOverIdleAndWhatIdleStopsNothingStartsAgain is L17.
func TestAMinimumWinsOverIdleAndWhatIdleStopsNothingStartsAgain(t *testing.T) {
	set := hourly
	set.Minimum = 6 * time.Hour
	d := newIdler(t, set, store.RentRequest{GPUCount: 1, Name: "training", Kind: store.Spot, Requeue: true})
	began := d.clock.Now()
	got, err := d.s.IdleSetting(ctx)
	if err != nil || got.Minimum != 6*time.Hour || got.SetBy != "admin" || got.SetAt == nil {
		t.Errorf("where it comes from: %+v %v", got, err)
	}
	d.pass(60, 0)
	if told := d.told(); told.StopsAt == nil || !told.StopsAt.Equal(began.Add(6*time.Hour)) {
		t.Errorf("told %+v", told)
	}
	d.pass(299, 0)
	if state, _ := stateOf(t, d.s, d.i.ID); state != life.Running {
		t.Errorf("%s before its minimum", state)
	}
	d.pass(1, 0)
	if state, why := stateOf(t, d.s, d.i.ID); state != life.Stopping || why != "idle" {
		t.Fatalf("%s, %s", state, why)
	}
	ended(t, d.s, d.i, store.End{})
	all, _, err := d.s.Instances(ctx, store.Filter{})
	if err != nil || len(all) != 1 {
		t.Errorf("%d instances, %v", len(all), err)
	}
}

func TestOffNothingIsToldAndTheDryRunSaysWhatItWouldHaveSaved(t *testing.T) {
	off := hourly
	off.On = false
	d := newIdler(t, off, store.RentRequest{})
	if n := d.pass(300, 0); n != 0 {
		t.Errorf("%d steps", n)
	}
	d.pass(60, 100)
	d.pass(130, 0)
	would, err := d.s.IdleDryRun(ctx, off)
	if err != nil || len(would) != 2 {
		t.Fatalf("%+v %v", would, err)
	}
	if w := would[0]; w.SavedMicros != 3_000_000 || w.At.Sub(w.Since) != 2*time.Hour || w.Until.Sub(w.At) != 3*time.Hour {
		t.Errorf("%+v", w)
	}
	if w := would[1]; w.SavedMicros != 166_667 && w.SavedMicros != 166_666 || w.Until.After(d.clock.Now()) {
		t.Errorf("%+v", w)
	}
}

func TestAStepAndItsMailAreOne(t *testing.T) {
	d := newIdler(t, hourly, store.RentRequest{})
	d.pass(59, 0)
	room := storetest.NoRoom(t, d.dir, "INSERT ON outbox")
	d.clock.Advance(time.Minute)
	if _, err := d.s.TendIdle(ctx); err == nil {
		t.Error("told without a mail")
	}
	if d.told().StopsAt != nil || events(t, d.s, d.i.ID, "idle_stops") != 0 {
		t.Error("half a step was taken")
	}
	room()
	if n := d.tend() + d.tend(); n != 1 || d.told().StopsAt == nil || len(mails(t, d.s, "idle_warning")) != 1 {
		t.Errorf("%d steps, %+v", n, d.told())
	}
}

func TestIdleSettingsThatCanNotBe(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	for field, set := range map[string]idle.Settings{"mail": {Mail: time.Minute, Stop: 5 * time.Hour}, "stop": {Mail: time.Hour, Stop: 119 * time.Minute}, "minimum": {Mail: time.Hour, Stop: 2 * time.Hour, Minimum: -1}} {
		if err := s.SetIdle(ctx, "", set); store.KindOf(err) != store.Invalid || !strings.HasPrefix(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	if err := s.SetIdle(ctx, seed.Member.ID, hourly); store.KindOf(err) != store.Forbidden {
		t.Errorf("by a member: %v", err)
	}
}
