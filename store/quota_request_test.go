package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/quota"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// Refused, asked, granted for a time, rented, and over by itself; each step once however often it is sent.
func TestALimitIsRaisedForATime(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	boss := addPerson(t, s, "boss", store.Manager, "research")
	q := setQuota(t, s, store.NewQuota{TeamID: seed.Team.ID, PersonID: seed.Member.ID, Kind: quota.GPUs, Limit: 1000})
	rent(t, s, seed, store.RentRequest{GPUCount: 1})
	more := store.RentRequest{PersonID: seed.Member.ID, GPUCount: 2}
	_, _, err := s.Rent(ctx, more)
	if e := kind(t, err, store.QuotaBlocks, ""); e.Args["raised_by"] != "admin, boss" {
		t.Errorf("%+v", e)
	}
	ask := store.NewQuotaRequest{QuotaID: q.ID, Limit: 3000, Hours: 8, Why: "a deadline", Request: store.NewRequest("once", "ask")}
	r, err := s.AskQuota(ctx, seed.Member.ID, ask)
	if err != nil || r.State != store.QuotaOpen {
		t.Fatalf("%+v %v", r, err)
	}
	if again, err := s.AskQuota(ctx, seed.Member.ID, ask); err != nil || again.ID != r.ID {
		t.Errorf("asked again: %+v %v", again, err)
	}
	ask.Request = store.Request{}
	_, err = s.AskQuota(ctx, seed.Member.ID, ask)
	kind(t, err, store.Conflict, "")
	if m := mails(t, s, "quota_requested"); len(m) != 2 || m[0].To == m[1].To || m[0].Data["wanted"] != "3000" || m[0].Data["by"] != "member" || m[0].Data["reason"] != "a deadline" {
		t.Errorf("mail: %+v", m)
	}
	for who, want := range map[string]int{boss.ID: 1, seed.Admin.ID: 1, seed.Member.ID: 0} {
		if in, err := s.Inbox(ctx, who); err != nil || len(in.Decide) != want {
			t.Errorf("%s decides %d, want %d (%v)", who, len(in.Decide), want, err)
		}
	}
	yes := store.QuotaDecision{Grant: true, Hours: 2, Request: store.NewRequest("once", "grant")}
	for range 2 {
		if r, err = s.DecideQuota(ctx, boss.ID, r.ID, yes); err != nil || r.State != store.QuotaGranted || r.Granted != 3000 || !r.Until.Equal(clock.Now().Add(2*time.Hour)) || r.DecidedBy != "boss" {
			t.Fatalf("%+v %v", r, err)
		}
	}
	_, err = s.DecideQuota(ctx, boss.ID, r.ID, store.QuotaDecision{Reason: "no"})
	kind(t, err, store.Conflict, "")
	if m := mails(t, s, "quota_decided"); len(m) != 1 || m[0].To != seed.Member.Email || m[0].Data["granted"] != "1" || m[0].Data["by"] != "boss" {
		t.Errorf("mail: %+v", m)
	}
	if _, _, err := s.Rent(ctx, more); err != nil {
		t.Errorf("granted: %v", err)
	}
	if q, err = s.Quota(ctx, q.ID); err != nil || q.Used != 3000 || len(q.Grants) != 1 {
		t.Errorf("%+v %v", q, err)
	}
	clock.Advance(2 * time.Hour)
	if q, err = s.Quota(ctx, q.ID); err != nil || len(q.Grants) != 0 {
		t.Errorf("it is not over: %+v %v", q, err)
	}
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1})
	kind(t, err, store.QuotaBlocks, "")
}

func TestWhoSetsAndRaisesLimits(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	boss := addPerson(t, s, "boss", store.Manager, "research")
	other := addPerson(t, s, "other", store.Manager, "elsewhere")
	viewer := addPerson(t, s, "viewer", store.Viewer, "research")
	teams := store.NewQuota{TeamID: seed.Team.ID, Kind: quota.GPUs, Limit: 4000}
	members := store.NewQuota{TeamID: seed.Team.ID, PersonID: seed.Member.ID, Kind: quota.GPUs, Limit: 2000}
	bosss := store.NewQuota{TeamID: seed.Team.ID, PersonID: boss.ID, Kind: quota.GPUs, Limit: 2000}
	for _, c := range []struct {
		who   store.Person
		n     store.NewQuota
		kind  store.Kind
		field string
	}{
		{seed.Admin, teams, "", ""}, {boss, teams, store.Forbidden, ""}, {boss, members, "", ""}, {boss, bosss, store.Forbidden, ""}, {seed.Admin, bosss, "", ""},
		{seed.Member, members, store.Forbidden, ""}, {viewer, members, store.Forbidden, ""}, {other, members, store.NotFound, "team"},
		{boss, store.NewQuota{TeamID: seed.Team.ID, PersonID: seed.Member.ID, Kind: quota.GPUs, Limit: 4001}, store.Invalid, "limit"},
		{boss, store.NewQuota{TeamID: seed.Team.ID, PersonID: other.ID, Kind: quota.GPUs}, store.Invalid, "person"},
		{boss, store.NewQuota{TeamID: seed.Team.ID, PersonID: seed.Member.ID, Kind: "moon"}, store.Invalid, "kind"},
		{boss, store.NewQuota{TeamID: seed.Team.ID, PersonID: seed.Member.ID, Kind: quota.GPUs, Limit: -1}, store.Invalid, "limit"},
		{boss, store.NewQuota{TeamID: seed.Team.ID, PersonID: seed.Member.ID, PoolID: "none", Kind: quota.GPUs}, store.Invalid, "pool"},
		{seed.Admin, store.NewQuota{TeamID: "t-none", Kind: quota.GPUs}, store.NotFound, ""},
	} {
		if _, err := s.SetQuota(ctx, c.who.ID, c.n); c.kind != "" {
			kind(t, err, c.kind, c.field)
		} else if err != nil {
			t.Errorf("%s: %v", c.who.Name, err)
		}
	}
	all, err := s.Quotas(ctx, seed.Team.ID)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v %v", all, err)
	}
	find := func(person string) store.Quota {
		for _, q := range all {
			if q.PersonID == person {
				return q
			}
		}
		t.Fatal("no quota of", person)
		return store.Quota{}
	}
	asked := map[string]store.QuotaRequest{}
	for _, c := range []struct {
		who   store.Person
		quota store.Quota
		limit int64
		kind  store.Kind
		field string
	}{
		{seed.Member, find(seed.Member.ID), 2000, store.Invalid, "limit"}, {seed.Member, find(seed.Member.ID), 3000, "", ""},
		{seed.Member, find(boss.ID), 3000, store.Forbidden, ""}, {viewer, find(""), 5000, store.Forbidden, ""}, {other, find(""), 5000, store.NotFound, ""},
		{seed.Member, find(""), 5000, "", ""}, {boss, find(boss.ID), 5000, "", ""},
	} {
		r, err := s.AskQuota(ctx, c.who.ID, store.NewQuotaRequest{QuotaID: c.quota.ID, Limit: c.limit, Hours: 1, Why: "why"})
		if c.kind != "" {
			kind(t, err, c.kind, c.field)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		asked[c.who.Name+c.quota.PersonName] = r
	}
	for _, who := range []store.Person{seed.Admin, boss, other, viewer, seed.Member} { // an inbox has what its person may decide
		in, err := s.Inbox(ctx, who.ID)
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range asked {
			_, err := s.DecideQuota(ctx, who.ID, r.ID, store.QuotaDecision{Grant: true, Limit: 1}) // less than it is: whoever may is told so
			may := store.KindOf(err) == store.Invalid
			shown := slices.ContainsFunc(in.Decide, func(d store.QuotaRequest) bool { return d.ID == r.ID })
			if may != shown || !may && store.KindOf(err) != store.Forbidden && store.KindOf(err) != store.NotFound {
				t.Errorf("%s and the request of %s: in the inbox %v, decided: %v", who.Name, name, shown, err)
			}
		}
	}
	for _, c := range []struct {
		who  store.Person
		r    string
		d    store.QuotaDecision
		kind store.Kind
		file string
	}{
		{seed.Member, "membermember", store.QuotaDecision{Grant: true}, store.Forbidden, ""}, {other, "membermember", store.QuotaDecision{Grant: true}, store.NotFound, ""},
		{boss, "membermember", store.QuotaDecision{}, store.Invalid, "reason"}, {boss, "member", store.QuotaDecision{Grant: true}, store.Forbidden, ""},
		{boss, "bossboss", store.QuotaDecision{Grant: true}, store.Forbidden, ""}, {seed.Admin, "bossboss", store.QuotaDecision{Grant: true}, store.Invalid, "limit"},
		{seed.Admin, "member", store.QuotaDecision{Grant: true, Limit: 6000}, "", ""}, {seed.Admin, "bossboss", store.QuotaDecision{Grant: true}, "", ""},
		{boss, "membermember", store.QuotaDecision{Reason: "not now"}, "", ""},
	} {
		_, err := s.DecideQuota(ctx, c.who.ID, asked[c.r].ID, c.d)
		if c.kind != "" {
			kind(t, err, c.kind, c.file)
		} else if err != nil {
			t.Errorf("%s decides %s: %v", c.who.Name, c.r, err)
		}
	}
	q, err := s.Quota(ctx, find("").ID)
	if err != nil || len(q.Grants) != 1 || q.Grants[0].Limit != 6000 {
		t.Fatalf("%+v %v", q, err)
	}
	kind(t, s.EndQuotaGrant(ctx, boss.ID, q.Grants[0].ID), store.Forbidden, "")
	kind(t, s.EndQuotaGrant(ctx, other.ID, q.Grants[0].ID), store.NotFound, "")
	if err := s.EndQuotaGrant(ctx, seed.Admin.ID, q.Grants[0].ID); err != nil {
		t.Error(err)
	}
	kind(t, s.EndQuotaGrant(ctx, seed.Admin.ID, q.Grants[0].ID), store.NotFound, "")
}

func TestWhatIsAskedCanBeTakenBackAndEndsWithItsLimit(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	q := setQuota(t, s, store.NewQuota{TeamID: seed.Team.ID, Kind: quota.SpotOnly})
	ask := func() store.QuotaRequest {
		t.Helper()
		r, err := s.AskQuota(ctx, seed.Member.ID, store.NewQuotaRequest{QuotaID: q.ID, Hours: 1, Why: "why"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := ask()
	kind(t, s.WithdrawQuota(ctx, seed.Admin.ID, r.ID), store.NotFound, "")
	for range 2 {
		if err := s.WithdrawQuota(ctx, seed.Member.ID, r.ID); err != nil {
			t.Error(err)
		}
	}
	_, err := s.DecideQuota(ctx, seed.Admin.ID, r.ID, store.QuotaDecision{Grant: true})
	kind(t, err, store.Conflict, "")
	ask()
	kind(t, s.EndQuota(ctx, seed.Member.ID, q.ID), store.Forbidden, "")
	if err := s.EndQuota(ctx, seed.Admin.ID, q.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1}); err != nil {
		t.Errorf("without the limit: %v", err)
	}
	in, err := s.Inbox(ctx, seed.Member.ID)
	own := in.Own
	if err != nil || len(own) != 2 || own[0].State != store.QuotaWithdrawn || own[0].Quota.Kind != quota.SpotOnly {
		t.Errorf("%+v %v", own, err)
	}
	log, _, err := s.AuditLog(ctx, 100, "")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, a := range log {
		seen[a.Action] = true
	}
	for _, action := range []string{"quota_set", "quota_requested", "quota_withdrawn", "quota_ended"} {
		if !seen[action] {
			t.Errorf("no %s in the audit", action)
		}
	}
}
