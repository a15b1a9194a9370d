package views

import (
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/quota"
	"github.com/meterhouse/meterhouse/web/lang"
)

// QuotasPage is /quotas; ?edit=ID fills the form with a limit, ?delete=ID asks before one is taken away, ?ask=ID shows the
// form that asks for more. Setting is POST /quotas with scope ("team:ID" or "member:TEAM:ID"), pool, kind, limit, day (one or
// more of 0 to 6), from and to (hours); POST /quotas/{id}/delete; POST /quotas/grants/{id}/delete.
type QuotasPage struct {
	Page
	Form    Form
	Teams   []QuotaTeam
	Ask     *QuotaAsk
	Delete  *QuotaRow
	CanEdit bool
	Scopes  []Option
	Pools   []Option
	Kinds   []string
}

// QuotaTeam is a team's limits.
type QuotaTeam struct {
	Name string
	Rows []QuotaRow
}

// QuotaRow is one limit. Numbers are in the kind's unit: thousandths of a GPU, instances, micro-units an hour, seconds.
type QuotaRow struct {
	ID, Team, Member, Pool string // Member "": the whole team
	Own                    bool   // the person's own
	Kind                   string
	Limit, Used            int64 // Limit with what was granted
	Hours                  [7]uint32
	Grants                 []QuotaGrantRow
	CanEdit, CanAsk        bool
}

// QuotaGrantRow raises a limit for a time.
type QuotaGrantRow struct {
	ID    int64
	Limit int64
	Until time.Time
	For   string
}

// QuotaAsk is the form that asks for a limit to be raised: POST /quotas/requests with quota, limit, hours and why.
type QuotaAsk struct {
	Form    Form
	Row     QuotaRow
	Raisers string // names
}

// sums reports whether the kind limits what is in use at once, so that a part of it is used.
func (r QuotaRow) sums() bool { return quota.Kind(r.Kind).Sums() }

// limited reports whether the kind has a limit that is a number.
func limited(kind string) bool { return !quota.Kind(kind).Lifts() }

// name is what a limit is called on the page.
func (r QuotaRow) name(p Page) string {
	parts := []string{p.T.QuotaWhole()}
	if r.Member != "" {
		parts[0] = r.Member
	}
	if r.Pool != "" {
		parts = append(parts, r.Pool)
	}
	return strings.Join(append(parts, p.T.QuotaKind(r.Kind)), " · ")
}

// QuotaAmount writes a number of a kind with its unit.
func (f Format) QuotaAmount(kind string, n int64) string {
	switch kind {
	case "gpus":
		return QuotaPlain(kind, n)
	case "rate":
		return f.Rate(n)
	case "term":
		return f.Seconds(n)
	}
	return strconv.FormatInt(n, 10)
}

// QuotaPlain writes a number of a kind as a form has it: GPUs, instances, money an hour, hours.
func QuotaPlain(kind string, n int64) string {
	one := max(quota.Kind(kind).One(), 1)
	text := strconv.FormatInt(n/one, 10)
	if rest := n % one * 1_000_000 / one; rest > 0 {
		text += "." + strings.TrimRight(strconv.FormatInt(1_000_000+rest, 10)[1:], "0")
	}
	return text
}

// week writes hours of the week: days that are alike together, "Mon–Fri 20–24".
func week(t lang.T, hours [7]uint32) string {
	var parts []string
	for k := 0; k < 7; k++ {
		day := (k + 1) % 7 // Monday first
		spans := hourSpans(hours[day], t)
		if spans == "" {
			continue
		}
		last := k
		for last+1 < 7 && hours[(last+2)%7] == hours[day] {
			last++
		}
		days := t.QuotaWeekday(day)
		if last > k {
			days += "–" + t.QuotaWeekday((last+1)%7)
		}
		parts, k = append(parts, days+" "+spans), last
	}
	if len(parts) == 0 {
		return t.QuotaNever()
	}
	return t.List(parts)
}

// hourSpans writes the hours of a day: "0–6, 20–24".
func hourSpans(bits uint32, t lang.T) string {
	var spans []string
	for h := 0; h < 24; h++ {
		if bits>>h&1 == 0 {
			continue
		}
		end := h
		for end < 24 && bits>>end&1 == 1 {
			end++
		}
		spans, h = append(spans, strconv.Itoa(h)+"–"+strconv.Itoa(end)), end
	}
	return t.List(spans)
}
