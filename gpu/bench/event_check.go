package bench

import (
	"errors"
	"fmt"
)

// Bounds of what an event may hold, so that a page that shows it stays a page.
const (
	maxTests  = 64
	maxName   = 64   // bytes of a test's name
	maxDetail = 4096 // bytes of an error's detail
)

// check holds an event to the ranges that its fields' comments name.
func (e Event) check() error {
	switch e.Kind {
	case KindPlan:
		return e.Plan.check()
	case KindProgress:
		if e.Progress.Fraction < 0 || e.Progress.Fraction > 1 {
			return fmt.Errorf("fraction %v", e.Progress.Fraction)
		}
		if e.Progress.Test == "" {
			return nil
		}
		return checkName(e.Progress.Test)
	case KindSample:
		if !finite(e.Sample.Value) || !finite(e.Sample.Seconds) {
			return errors.New("negative figure")
		}
		return checkName(e.Sample.Test)
	case KindResult:
		return e.Result.check()
	case KindError:
		if e.Error.Reason == "" {
			return errors.New("no reason")
		}
		if len(e.Error.Detail) > maxDetail || len(e.Error.Test) > maxName {
			return errors.New("too long")
		}
	case KindDone:
		if e.Done.Tests < 0 || !finite(e.Done.Seconds) {
			return errors.New("negative figure")
		}
	}
	return nil
}

func (p *Plan) check() error {
	if p.Version != formatVersion {
		return fmt.Errorf("format version %d, this build reads %d", p.Version, formatVersion)
	}
	if len(p.Tests) == 0 || len(p.Tests) > maxTests {
		return fmt.Errorf("%d tests", len(p.Tests))
	}
	seen := map[string]bool{}
	for _, t := range p.Tests {
		if err := checkName(t.Test); err != nil {
			return err
		}
		if seen[t.Test] {
			return fmt.Errorf("test %q twice", t.Test)
		}
		seen[t.Test] = true
	}
	if p.Size < 0 || p.Seconds < 0 || len(p.GPUs) > maxRequestGPUs {
		return errors.New("impossible inputs")
	}
	return nil
}

func (r *Row) check() error {
	if err := checkName(r.Test); err != nil {
		return err
	}
	if s := r.Summary; s != nil {
		if s.N < 1 {
			return errors.New("figures of no sample")
		}
		for _, x := range []float64{s.Median, s.P5, s.P95, s.CV, s.Low, s.High} {
			if !finite(x) {
				return errors.New("negative figure")
			}
		}
	}
	switch {
	case r.Wrong && (r.Stable || r.Summary != nil):
		return errors.New("a wrong result has no figures")
	case r.Stable && r.Summary == nil:
		return errors.New("stable without figures")
	case r.Stable && len(r.Reasons) > 0:
		return errors.New("stable with reasons why not")
	case !finite(r.ErrorRatio) || !finite(r.OfBest) || r.Bytes < 0 || r.Size < 0 || r.Rows < 0 || r.Workers < 0 || r.Compared < 0:
		return errors.New("negative figure")
	case len(r.Group) > maxName || len(r.Unit) > maxName || len(r.Reasons) > maxTests || len(r.Notes) > maxTests:
		return errors.New("too long")
	}
	return nil
}

// checkName: tests are named in a–z, 0–9 and _, so that a name can be a key, a class and part of an address.
func checkName(s string) error {
	if s == "" || len(s) > maxName {
		return fmt.Errorf("name of %d bytes", len(s))
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return fmt.Errorf("name %q", s)
		}
	}
	return nil
}
