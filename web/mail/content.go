package mail

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

// content turns a mail's data into the view of its template.
func (m *Mailer) content(ctx context.Context, d store.Mail, site store.Site, base views.MailBase) (views.Mail, error) {
	data := fields(d.Data)
	switch d.Template {
	case "budget_threshold", "budget_reached", "budget_forecast":
		return views.BudgetMail{MailBase: base, Budget: data["name"], Team: data["team"], Percent: int(data.number("threshold")), Forecast: d.Template == "budget_forecast",
			SpentMicros: data.number("spent_micros"), LimitMicros: data.number("limit_micros"), RollingDays: int(data.number("days")), PeriodEnd: data.time("period_end"),
			Action: data["action"], BudgetID: data["budget"]}, nil
	case "budget_stop_notice":
		return views.BudgetStopMail{MailBase: base, Budget: data["name"], Team: data["team"], Instances: strings.ReplaceAll(data["instances"], "\n", ", "), At: data.time("at"),
			SpentMicros: data.number("spent_micros"), LimitMicros: data.number("limit_micros"), RollingDays: int(data.number("days")), PeriodEnd: data.time("period_end"), BudgetID: data["budget"]}, nil
	case "instance_stopped":
		return m.stopped(ctx, base, data)
	case "instance_ends_soon", "reservation_starts_soon", "reservation_ends_soon":
		return views.NoticeMail{MailBase: base, Kind: strings.TrimSuffix(d.Template, "_soon"), Name: data["name"], ID: data["instance"] + data["reservation"],
			Minutes: int(data.number("minutes")), At: data.time("at"), Because: data["because"]}, nil
	case "spot_notice":
		return views.SpotMail{MailBase: base, Instance: data["name"], InstanceID: data["instance"], At: data.time("at"), Requeue: data.yes("requeue")}, nil
	case "idle_warning":
		return views.IdleMail{MailBase: base, Instance: data["name"], InstanceID: data["instance"], Since: data.time("since"), At: data.time("at"), Keep: data["keep"]}, nil
	case "gpu_quarantined":
		return views.GPUMail{MailBase: base, GPU: data["gpu"], Model: data["gpu_model"], Node: data["node"], Instance: data["name"], Fault: "quarantined", Detail: data["notes"]}, nil
	case "gpu_fault":
		return views.GPUMail{MailBase: base, GPU: data["gpu"], Model: data["gpu_model"], Node: data["node"], Instance: data["name"], InstanceID: data["instance"], Fault: data["fault"], Detail: data["detail"]}, nil
	case "quota_requested", "quota_decided":
		return quotaMail(d, site, base), nil
	case "invitation":
		return views.InvitationMail{MailBase: base, Team: data["team"], By: data["by"], Link: m.config.Site + "/login/link?code=" + data["code"],
			Expires: data.time("expires_at"), New: data["new"] != "0"}, nil
	case "new_device":
		return views.DeviceMail{MailBase: base, Browser: data["agent"], Address: data["addr"], At: data.time("at"), ByLink: data.yes("link")}, nil
	case "digest":
		return m.digest(ctx, d, site, base)
	case "test":
		return views.TestMail{MailBase: base}, nil
	}
	return nil, fmt.Errorf("no template %q", d.Template)
}

func quotaMail(d store.Mail, site store.Site, base views.MailBase) views.QuotaMail {
	data := fields(d.Data)
	v := views.QuotaMail{MailBase: base, Decided: d.Template == "quota_decided", Granted: data.yes("granted"), By: data["by"], Team: data["team"], Rule: data["rule"], Pool: data["pool"],
		Until: data.time("until"), Reason: data["reason"]}
	wanted := "wanted"
	if v.Decided && !v.Granted {
		wanted = "limit" // as it stays
	}
	v.Limit = store.QuotaAmount(store.QuotaKind(data["rule"]), data.number(wanted), site.Currency)
	return v
}

// stopped looks the instance up: its bill may have grown since the mail was written down.
func (m *Mailer) stopped(ctx context.Context, base views.MailBase, data fields) (views.Mail, error) {
	in, err := m.store.Instance(ctx, data["instance"])
	if err != nil {
		return nil, err
	}
	bill, err := m.store.Bill(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	v := views.StoppedMail{MailBase: base, Instance: in.Name, InstanceID: in.ID, Reason: StopReason(data["reason"]), CostMicros: in.CostMicros, Simulated: in.Simulated}
	for _, l := range bill.Lines {
		if l.Billable && !l.Waived {
			v.Seconds += int64(l.To.Sub(l.From) / time.Second)
		}
	}
	if in.ExitCode != nil {
		v.ExitCode = *in.ExitCode
	}
	if in.StartedAt != nil {
		v.StartedAt = *in.StartedAt
	}
	if in.EndedAt != nil {
		v.StoppedAt = *in.EndedAt
	}
	return v, nil
}

// digest tells what was gathered, a line each.
func (m *Mailer) digest(ctx context.Context, d store.Mail, site store.Site, base views.MailBase) (views.Mail, error) {
	told, err := m.store.DigestMail(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	v := views.DigestMail{MailBase: base}
	for _, one := range told {
		content, err := m.content(ctx, one, site, base)
		if err != nil {
			return nil, err
		}
		letter := content.Letter()
		v.Items = append(v.Items, views.LetterItem{At: one.CreatedAt, Title: letter.Subject(), Link: letter.Link})
	}
	return v, nil
}

// fields are a mail's data as the store wrote it down.
type fields map[string]string

// yes reports whether a field says so.
func (f fields) yes(key string) bool { return f[key] == "1" }

// number reads a whole number, 0 where there is none.
func (f fields) number(key string) int64 {
	n, err := strconv.ParseInt(f[key], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// time reads a moment: RFC 3339, or microseconds; zero where there is none.
func (f fields) time(key string) time.Time {
	if at, err := time.Parse(time.RFC3339Nano, f[key]); err == nil {
		return at
	}
	if n := f.number(key); n > 0 {
		return time.UnixMicro(n).UTC()
	}
	return time.Time{}
}

// StopReason turns the store's key into the word that views and the catalogue use.
func StopReason(key string) string {
	switch key {
	case "by_person":
		return "person"
	case "hard_end":
		return "hours"
	case "command_ended":
		return "exited"
	case "node_lost":
		return "lost"
	case "start_failed":
		return "failed"
	}
	return key
}
