package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/lang"
)

// words says what went wrong in the person's language.
func words(t lang.T, e *store.Error) string {
	key := e.Message
	if !lang.HasError(key) {
		if other, found := sameWords[key]; found {
			key = other
		} else if pair, found := storeWords[key]; found {
			if t == lang.Chinese {
				return pair[1]
			}
			return pair[0]
		}
	}
	return t.Error(key, e.Args)
}

// hasWords reports whether a person is told about a key in words.
func hasWords(key string) bool {
	return lang.HasError(key) || sameWords[key] != "" || storeWords[key][0] != ""
}

// sameWords are keys of the store for which the catalogue has words under another.
var sameWords = map[string]string{
	"status_unknown": "unknown_status", "state_unknown": "unknown_status", "scope_unknown": "unknown_scope", "period_unknown": "unknown_period", "action_unknown": "unknown_action",
	"group_by_wrong": "unknown_group", "label_wrong": "wrong_labels", "gpu_count_wrong": "wrong_gpu_count", "duration_wrong": "wrong_hours", "until_wrong": "wrong_time",
	"not_a_number": "wrong_number", "gpu_wrong": "wrong_id", "too_many_labels": "out_of_range", "too_many_emails": "out_of_range", "step_not_allowed": "wrong_step",
	"cannot_extend": "wrong_step", "benchmark_ended": "wrong_step", "budget_needs_manager": "role_too_low", "viewer_cannot_rent": "role_too_low", "not_your_instance": "forbidden",
	"node_not_found": "page_not_found",
}

// storeWords are keys that the store alone uses, in English and Chinese.
var storeWords = map[string][2]string{
	"kind_unknown":         {"There is no such kind; on_demand is offered.", "没有该类型；目前提供 on_demand（按需）。"},
	"gpu_taken":            {"One of the GPUs asked for is not free.", "所请求的 GPU 中有一块不空闲。"},
	"no_gpus":              {"This site has no GPU that could be rented.", "本站没有可租用的 GPU。"},
	"gpu_named_twice":      {"A GPU is named twice.", "同一块 GPU 重复出现。"},
	"gpus_not_of_plan":     {"The GPUs named do not fit the plan.", "所列 GPU 与方案不符。"},
	"cpu_only_has_no_gpus": {"CPU-only work has no GPUs.", "仅 CPU 的工作不使用 GPU。"},
}

// words says in the person's language what was done.
func (f flash) words(format views.Format, now time.Time) string {
	t := format.T
	switch f.Key {
	case "set_up":
		return t.SetupDone()
	case "signed_out":
		return t.SignedOut()
	case "rented":
		return t.Rented(f.Name)
	case "queued":
		return t.Queued(f.Name)
	case "stopping":
		return t.Stopping(f.Name)
	case "suspended":
		return t.Suspended(f.Name)
	case "resumed":
		return t.Resumed(f.Name)
	case "extended":
		return t.Extended(f.Name, format.Near(time.Unix(f.At, 0), now))
	case "bench_started":
		return t.BenchStarted(f.Name)
	case "bench_cancelled":
		return t.BenchCancelled()
	case "budget_saved":
		return t.BudgetSaved(f.Name)
	case "budget_deleted":
		return t.BudgetDeleted(f.Name)
	case "saved":
		return t.Saved()
	case "password_saved":
		return t.PasswordSaved()
	case "key_added":
		return t.KeyAdded(f.Name)
	case "deleted":
		return t.Deleted(f.Name)
	case "token_revoked":
		return t.TokenRevoked(f.Name)
	case "session_ended":
		return t.SessionEnded()
	}
	return ""
}
