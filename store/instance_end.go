package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
)

// RequestStop asks for an instance's end: it is stopping and billed no longer. What is queued is stopped at once; what is
// stopping or ended already stays as it is. by is the person, "" for the console, and reason a key ("": by_person or
// by_console). NotFound or Forbidden if the person may not.
func (s *Store) RequestStop(ctx context.Context, id, by, reason string) (i Instance, err error) {
	err = s.write(ctx, func(t *tx) error {
		if i, err = t.instance(id); err != nil {
			return err
		}
		if err = t.mayAct(by, &i); err != nil {
			return err
		}
		if i.State == life.Stopping || i.State.Ended() {
			return nil
		}
		if err = t.requestStop(&i, by, reason); err != nil {
			return err
		}
		i, err = t.instance(id)
		return err
	})
	return i, err
}

func (t *tx) requestStop(i *Instance, by, reason string) error {
	if reason == "" {
		reason = map[bool]string{true: "by_console", false: "by_person"}[by == ""]
	}
	if _, err := t.exec("UPDATE instance SET stop_requested_at = ?, stop_reason = ? WHERE id = ?", micros(t.now), clipped(reason, 100), i.ID); err != nil {
		return err
	}
	if err := t.endBilling(i, t.now, false, false); err != nil {
		return err
	}
	to := life.Stopping
	if i.State == life.Queued {
		to = life.Stopped
	}
	if err := t.step(i, to); err != nil {
		return err
	}
	if err := t.instanceEvent(i.ID, "stop_requested", by, map[string]string{"reason": reason}); err != nil {
		return err
	}
	return t.audit(AuditRecord{PersonID: by, Action: "instance_stop", Target: i.ID, Detail: reason})
}

// MarkEnded says that an instance's processes have ended, and when. Its open segment is closed there, what is owed is
// booked, and it is stopping until MarkStopped. The shim's word is proof of life up to the end: a time out of reach before
// it is billed. After RequestStop it only adds how it ended. What ends under notice of a reclaim has not failed.
func (s *Store) MarkEnded(ctx context.Context, id string, e End) error {
	return s.write(ctx, func(t *tx) error {
		i, err := t.instance(id)
		if err != nil || i.State.Ended() || i.State == life.Queued {
			return err
		}
		if e.Reason == "" {
			e.Reason = "command_ended"
		}
		first := i.EndedAt == nil
		var code any
		if e.ExitCode != nil {
			code = *e.ExitCode
		}
		if _, err := t.exec(`UPDATE instance SET exit_code = coalesce(exit_code, ?), exit_detail = CASE exit_detail WHEN '' THEN ? ELSE exit_detail END,
			ended_badly = CASE WHEN ? THEN 1 ELSE ended_badly END, stop_reason = CASE stop_reason WHEN '' THEN ? ELSE stop_reason END WHERE id = ?`,
			code, clipped(e.Detail, detailMax), e.Failed && first && i.NoticeAt == nil, clipped(e.Reason, 100), id); err != nil {
			return err
		}
		if first {
			if err := t.endBilling(&i, t.between(&i, e.At), e.HostFault, true); err != nil {
				return err
			}
		}
		if i.State == life.Stopping {
			return nil
		}
		if err := t.step(&i, life.Stopping); err != nil {
			return err
		}
		return t.instanceEvent(id, "processes_ended", "", map[string]string{"reason": e.Reason, "detail": clipped(e.Detail, detailMax)})
	})
}

// endBilling closes the open segment and books all that is owed, the minimum included. Time out of reach is billed if it is
// proven, else the end is the last proof of life.
func (t *tx) endBilling(i *Instance, at time.Time, hostFault, proven bool) error {
	if i.EndedAt != nil {
		return nil
	}
	lost := i.State == life.Unreachable && !proven
	if lost {
		if from, err := t.number("SELECT from_at FROM segment WHERE instance_id = ? AND to_at IS NULL AND state = 'unreachable'", i.ID); err == nil {
			at = fromMicros(from) // closed where it began, it goes
		}
	}
	end, err := t.closeSegment(i.ID, at, proven)
	if err != nil {
		return err
	}
	if last, err := t.number("SELECT max(to_at) FROM segment WHERE instance_id = ?", i.ID); err != nil {
		return err
	} else if last > 0 {
		end = fromMicros(max(last, micros(end)))
	}
	if i.StartedAt != nil {
		end = later(end, *i.StartedAt)
	}
	if _, err := t.exec("UPDATE instance SET ended_at = ?, host_fault = ? WHERE id = ?", micros(end), hostFault, i.ID); err != nil {
		return err
	}
	i.EndedAt, i.hostFault = &end, hostFault
	return t.bookEnd(i)
}
