package mail

import (
	"time"

	"github.com/meterhouse/meterhouse/views"
)

// Sample is a mail of a template with sample data, for a look at it. ok is false for a template that there is not.
func Sample(template string, base views.MailBase) (letter views.Letter, ok bool) {
	now := base.Now
	soon, day := now.Add(15*time.Minute), now.Add(24*time.Hour)
	base.Unsubscribe = base.Site + StopPath + "sample"
	budget := views.BudgetMail{MailBase: base, Budget: "bert", Team: "research", Percent: 80, SpentMicros: 80_000_123, LimitMicros: 100_000_000, PeriodEnd: day, Action: "block", BudgetID: "b-sample"}
	needed := base
	needed.Unsubscribe = ""
	gpu := views.GPUMail{MailBase: base, GPU: "GPU-51a1ed00-0000-4000-8000-000000000001", Model: "NVIDIA A100-SXM4-80GB", Node: "node-1", Instance: "bert-finetune", Fault: "quarantined", Detail: "3.2 GB held by no process"}
	quota := views.QuotaMail{MailBase: base, By: "member", Team: "research", Rule: "gpus", Limit: "8", Until: day, Reason: "a deadline on Friday"}
	notice := views.NoticeMail{MailBase: base, Kind: "instance_ends", Name: "bert-finetune", ID: "i-sample", Minutes: 15, At: soon, Because: "reservation"}
	var mail views.Mail
	switch template {
	case "budget_threshold":
		mail = budget
	case "budget_reached":
		budget.Percent, budget.SpentMicros = 100, 100_000_456
		mail = budget
	case "budget_forecast":
		budget.Percent, budget.SpentMicros, budget.Forecast = 100, 131_400_000, true
		mail = budget
	case "budget_stop_notice":
		mail = views.BudgetStopMail{MailBase: needed, Budget: "bert", Team: "research", Instances: "bert-finetune, bert-eval", At: soon, SpentMicros: 100_000_456, LimitMicros: 100_000_000, PeriodEnd: day, BudgetID: "b-sample"}
	case "spot_notice":
		mail = views.SpotMail{MailBase: needed, Instance: "bert-finetune", InstanceID: "i-sample", At: now.Add(2 * time.Minute), Requeue: true}
	case "reservation_starts_soon":
		notice.Kind, notice.Name, notice.ID, notice.Minutes, notice.At = "reservation_starts", "workshop", "r-sample", 60, now.Add(time.Hour)
		mail = notice
	case "reservation_ends_soon":
		notice.Kind, notice.Name, notice.ID, notice.Minutes, notice.At = "reservation_ends", "workshop", "r-sample", 60, now.Add(time.Hour)
		mail = notice
	case "instance_ends_soon":
		mail = notice
	case "instance_stopped":
		mail = views.StoppedMail{MailBase: base, Instance: "bert-finetune", InstanceID: "i-sample", Reason: "hours", StartedAt: now.Add(-10 * time.Hour), StoppedAt: now, Seconds: 35273, CostMicros: 26_102_020}
	case "idle_warning":
		mail = views.IdleMail{MailBase: needed, Instance: "bert-finetune", InstanceID: "i-sample", Since: now.Add(-time.Hour), At: now.Add(time.Hour), Keep: "1.1.sample"}
	case "gpu_quarantined":
		mail = gpu
	case "gpu_fault":
		gpu.Fault, gpu.InstanceID, gpu.Detail = "fenced", "i-sample", "Xid 79"
		mail = gpu
	case "invitation":
		mail = views.InvitationMail{MailBase: needed, Team: "research", By: "admin", Link: base.Site + "/login/link?code=sample", Expires: day, New: true}
	case "new_device":
		mail = views.DeviceMail{MailBase: needed, Browser: "Firefox, Linux", Address: "192.0.2.7", At: now}
	case "quota_requested":
		mail = quota
	case "quota_decided":
		quota.Decided, quota.Granted, quota.By, quota.Reason = true, true, "admin", ""
		mail = quota
	case "digest":
		stopped, _ := Sample("instance_stopped", base)
		mail = views.DigestMail{MailBase: base, Items: []views.LetterItem{{At: now.Add(-30 * time.Minute), Title: stopped.Subject(), Link: stopped.Link}, {At: now.Add(-10 * time.Minute), Title: budget.Letter().Subject(), Link: budget.Letter().Link}}}
	case "test":
		mail = views.TestMail{MailBase: needed}
	default:
		return letter, false
	}
	return mail.Letter(), true
}
