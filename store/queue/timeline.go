package queue

import (
	"cmp"
	"math"
	"slices"
)

// forever is later than all moments. Moments are microseconds from now.
const forever = math.MaxInt64

// step says how much of a GPU is free from a moment until the next step, in thousandths.
type step struct {
	at   int64
	free int
}

// timeline is what is known about one GPU's future. Its first step is at 0, now.
type timeline []step

// take books a share over [from, to).
func (l *timeline) take(from, to int64, milli int) {
	if from = max(from, 0); to <= from {
		return
	}
	first, last := l.split(from), len(*l)
	if to != forever {
		last = l.split(to)
	}
	for k := first; k < last; k++ {
		(*l)[k].free -= milli
	}
}

// split returns the step that begins at a moment, which it makes if there is none.
func (l *timeline) split(at int64) int {
	k, found := slices.BinarySearchFunc(*l, at, func(s step, at int64) int { return cmp.Compare(s.at, at) })
	if !found {
		*l = slices.Insert(*l, k, step{at, (*l)[k-1].free})
	}
	return k
}

// until returns when a share that is free from a moment is free no more; the moment itself if it is not free then.
func (l timeline) until(at int64, milli int) int64 {
	k, found := slices.BinarySearchFunc(l, at, func(s step, at int64) int { return cmp.Compare(s.at, at) })
	if !found {
		k--
	}
	for ; k < len(l); k++ {
		if l[k].free < milli {
			return max(l[k].at, at)
		}
	}
	return forever
}

// window is a stretch of moments [from, to], at each of which something may begin.
type window struct{ from, to int64 }

// stretches calls visit with every stretch [from, to) over which a share is free.
func (l timeline) stretches(milli int, visit func(from, to int64)) {
	for k := 0; k < len(l); {
		if l[k].free < milli {
			k++
			continue
		}
		from := l[k].at
		for k < len(l) && l[k].free >= milli {
			k++
		}
		if k == len(l) {
			visit(from, forever)
		} else {
			visit(from, l[k].at)
		}
	}
}

// plus adds without passing forever.
func plus(at, length int64) int64 {
	if length > forever-at {
		return forever
	}
	return at + length
}

// at returns what is free at a moment.
func (l timeline) at(at int64) int {
	free := l[0].free
	for _, s := range l[1:] {
		if s.at > at {
			break
		}
		free = s.free
	}
	return free
}

// last returns what is free once all hard ends that are known have passed.
func (l timeline) last() int { return l[len(l)-1].free }
