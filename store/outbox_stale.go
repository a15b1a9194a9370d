package store

import (
	"context"
	"slices"
	"strconv"
	"time"
)

// MailStale says why a mail that is about to be sent should not be, by a key that the catalogue has words for; "" if what it
// says still holds. It was queued with what was true then, and may have waited for a day.
func (s *Store) MailStale(ctx context.Context, m Mail) (why string, err error) {
	err = s.read(ctx, func(t *tx) error {
		why, err = t.mailStale(&m)
		return err
	})
	return why, err
}

func (t *tx) mailStale(m *Mail) (string, error) {
	kind, _ := templateOf(m.Template)
	if kind.Kind != MailNeeded {
		wanted, err := t.mailPreference(foldKey(m.To))
		if err != nil {
			return "", err
		}
		if slices.Contains(wanted.Off, kind.Kind) {
			return "not_wanted", nil
		}
	}
	p, err := t.personByName(m.To)
	switch {
	case errNoPerson(err): // mail may go to addresses that nobody signs in with
	case err != nil:
		return "", err
	case p.DisabledAt != nil:
		return "person_disabled", nil
	}
	for _, look := range []func(*Mail) (string, error){t.budgetStale, t.instanceStale, t.idleStale, t.reservationStale} {
		if why, err := look(m); err != nil || why != "" {
			return why, err
		}
	}
	if m.Template == "invitation" && m.Data["expires_at"] != "" && !moment(m.Data["expires_at"]).After(t.now) {
		return "link_expired", nil
	}
	return "", nil
}

// moment reads a time of a mail's data, zero where there is none.
func moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at
}

// budgetStale: a budget that was deleted or is another by now has nothing to say; nor has a stop that was called off.
func (t *tx) budgetStale(m *Mail) (string, error) {
	id := m.Data["budget"]
	if id == "" {
		return "", nil
	}
	b, err := scanBudget(t.row(budgetQuery+"AND b.id = ?", id))
	if err = orNotFound(err, "budget", id); KindOf(err) == NotFound {
		return "budget_deleted", nil
	}
	if err != nil {
		return "", err
	}
	if version := m.Data["version"]; version != "" && version != strconv.Itoa(b.Version) {
		return "budget_changed", nil
	}
	if m.Template == "budget_stop_notice" {
		stop, open, err := t.openStop(id)
		if err != nil || !open || !stop.StopsAt.Truncate(time.Second).Equal(moment(m.Data["at"])) {
			return "stop_over", err
		}
	}
	return "", nil
}

// instanceStale: what would be said before something happens to an instance is late once it has ended.
func (t *tx) instanceStale(m *Mail) (string, error) {
	switch m.Template {
	case "spot_notice", "instance_ends_soon", "idle_warning", "gpu_fault":
	default:
		return "", nil
	}
	found, err := t.instances(instanceQuery+"WHERE i.id = ?", m.Data["instance"])
	switch {
	case err != nil || len(found) == 0:
		return "", err
	case found[0].State.Ended() || found[0].EndedAt != nil:
		return "instance_over", nil
	case m.Template == "instance_ends_soon" && (found[0].EndsAt == nil || !found[0].EndsAt.Truncate(time.Second).Equal(moment(m.Data["at"]))):
		return "end_moved", nil
	}
	return "", nil
}

// idleStale: what was to be stopped for being idle works again, or somebody keeps it.
func (t *tx) idleStale(m *Mail) (string, error) {
	if m.Template != "idle_warning" || m.Data["at"] == "" {
		return "", nil
	}
	spell, open, err := t.openSpell(m.Data["instance"])
	if err != nil || !open || !spell.StopsAt.Truncate(time.Second).Equal(moment(m.Data["at"])) {
		return "stop_over", err
	}
	return "", nil
}

// reservationStale: a reservation that was given up or moved is announced no more.
func (t *tx) reservationStale(m *Mail) (string, error) {
	if m.Template != "reservation_starts_soon" && m.Template != "reservation_ends_soon" {
		return "", nil
	}
	r, err := t.reservation(m.Data["reservation"])
	if KindOf(err) == NotFound {
		return "", nil
	}
	switch {
	case err != nil:
		return "", err
	case r.State != ReservationBooked:
		return "reservation_over", nil
	case m.Template == "reservation_ends_soon" && !r.End.Truncate(time.Second).Equal(moment(m.Data["at"])):
		return "end_moved", nil
	}
	return "", nil
}
