package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// crowd has one with all GPUs for three hours, then the stranger and the member wait.
func crowd(t *testing.T, site *webtest.Site) (theirs, mine web.Instance) {
	t.Helper()
	member, stranger := site.Program(t, site.Member), site.Program(t, site.Stranger)
	if a := member.Call("POST", "/instances", `{"name":"holder","gpu_count":4,"hours":3}`, nil); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	stranger.Call("POST", "/instances", `{"name":"their-secret-name","gpu_count":4,"hours":2,"queue":true}`, &theirs)
	site.Clock.Advance(time.Minute)
	member.Call("POST", "/instances", `{"name":"my-name","gpu_count":1,"queue":true}`, &mine)
	if theirs.QueuePlace != 1 || mine.QueuePlace != 2 {
		t.Fatalf("%+v, %+v", theirs, mine)
	}
	return theirs, mine
}

func TestWhoWaitsIsToldItsPlaceWhyAndWhen(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	theirs, mine := crowd(t, site)
	member := site.Program(t, site.Member)
	var in web.Instance
	if a := member.Call("GET", "/instances/"+mine.ID, nil, &in); a.Status != http.StatusOK || in.Queue == nil {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	// Theirs starts when the holder ends, with a minute to hand the GPUs over, and mine when theirs does.
	start := site.Clock.Now().Add(-time.Minute + 3*time.Hour + time.Minute)
	if q := in.Queue; q.Place != 2 || q.Reason != "no_gpus" || q.StartsAt == nil || !q.StartsAt.Equal(start.Add(2*time.Hour+time.Minute)) || len(q.Ahead) != 1 ||
		q.Ahead[0].ID != "" || q.Ahead[0].Name != "" || q.Ahead[0].Team != "physics" || !q.Ahead[0].StartsAt.Equal(start) {
		t.Errorf("queue: %+v", q)
	}
	var queues web.PoolQueues
	if member.Call("GET", "/queues", nil, &queues); len(queues.Queues) != 1 || len(queues.Queues[0].Waiting) != 2 || queues.Queues[0].Waiting[1].ID != mine.ID {
		t.Errorf("queues: %+v", queues)
	}
	page := site.Browser(t, site.Member).Get("/instances/" + mine.ID).Body
	for _, want := range []string{"Place 2 in the queue", "No node has a GPU free.", "an instance of physics", "/queue#queue-"} {
		if !strings.Contains(page, want) {
			t.Errorf("the instance's page lacks %q", want)
		}
	}
	// The quote before the click: behind both, of the same moment.
	form := url.Values{"plan": {in.Plan}, "gpu_count": {"1"}, "hours": {"1"}, "queue": {"1"}, "do": {"quote"}}
	if quote := site.Browser(t, site.Member).Form("/rent/new", form).Body; !strings.Contains(quote, "place 3 in the queue, about") {
		t.Error("the quote does not say the place and when")
	}
	if a := site.Program(t, site.Stranger).Call("GET", "/instances/"+theirs.ID, nil, &in); a.Status != http.StatusOK || in.Queue.Place != 1 || len(in.Queue.Ahead) != 0 {
		t.Errorf("theirs: %d %s", a.Status, a.Body)
	}
}

func TestTheQueueShowsWhatIsNotOnesBusinessWithoutItsName(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	theirs, mine := crowd(t, site)
	for _, c := range []struct {
		person              store.Person
		mine, theirs, gives bool
	}{
		{site.Member, true, false, true}, {site.Viewer, true, false, false}, {site.Manager, true, false, true}, {site.Stranger, false, true, true}, {site.Admin, true, true, true},
	} {
		page := site.Browser(t, c.person).Get("/queue").Body
		for what, want := range map[string]bool{"my-name": c.mine, mine.ID: c.mine, "their-secret-name": c.theirs, theirs.ID: c.theirs, "?ask=stop": c.gives, `action="/queue/weight"`: c.person.Admin} {
			if got := strings.Contains(page, what); got != want {
				t.Errorf("%s sees %q: %v", c.person.Name, what, got)
			}
		}
	}
}

func TestAnAdminSetsATeamsWeight(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	admin := site.Browser(t, site.Admin)
	form := url.Values{"team": {site.Team.ID}, "weight": {"250"}}
	if a := site.Browser(t, site.Manager).Form("/queue/weight", form); a.Status != http.StatusForbidden {
		t.Errorf("a manager: %d", a.Status)
	}
	if a := admin.Form("/queue/weight", form); a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/queue" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if page := admin.Get("/queue").Body; !strings.Contains(page, `value="250"`) {
		t.Error("the page has another weight")
	}
	for _, wrong := range []string{"0", "-1", "1001", "many", "", "1e2", "99999999999999999999"} {
		form.Set("weight", wrong)
		if a := admin.Form("/queue/weight", form); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `href="#f-weight"`) || !strings.Contains(a.Body, `id="f-weight"`) {
			t.Errorf("%q: %d", wrong, a.Status)
		}
	}
	form = url.Values{"team": {"t-none"}, "weight": {"5"}}
	if a := admin.Form("/queue/weight", form); a.Status != http.StatusNotFound {
		t.Errorf("no such team: %d", a.Status)
	}
}

func TestWhatWaitsIsNotOfferedALongerTime(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	_, mine := crowd(t, site)
	if a := site.Browser(t, site.Member).Get("/instances/" + mine.ID); strings.Contains(a.Body, "/extend") {
		t.Error("the page has a form that would be refused")
	}
}

func TestOnlyWhoCanSetAMailServerIsToldHow(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	for p, tells := range map[*webtest.Client]bool{site.Browser(t, site.Member): false, site.Browser(t, site.Manager): false, site.Browser(t, site.Admin): true} {
		if body := p.Get("/budgets").Body; !strings.Contains(body, "No mail server is set") || strings.Contains(body, "--smtp") != tells {
			t.Errorf("with --smtp: want %v", tells)
		}
	}
}
