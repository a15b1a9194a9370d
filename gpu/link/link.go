// Package link lets a console use the Executor and the Source of another machine. The agent there dials out to the console;
// over that one websocket a multiplexer carries a stream for each call. PROTOCOL.md says what passes.
//
// At the console's end a Node is what gpu/fleet works with, connected or not; at the agent's end an Agent serves what really
// runs and is really there. It may import gpu and libraries, and knows neither store nor web. The rule it keeps: what is not
// known because the line is down is gpu.ErrUnreachable, never an end, an empty list or a zero.
package link

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Protocol is the version of what PROTOCOL.md describes. Two ends whose versions differ by one work together: the newer one
// does without what the older does not know. It grows with each release that changes what passes.
const Protocol = 1

const (
	// keepAlive is how often each end asks whether the other still answers, patience how long it waits for that: a cable
	// that is cut is noticed within the sum, 12 s.
	keepAlive = 4 * time.Second
	patience  = 8 * time.Second
	// helloPatience is how long the two may take to agree.
	helloPatience = 10 * time.Second
)

// VersionError says that the two ends are too far apart to work together.
type VersionError struct {
	Ours, Theirs   int
	Build, Foreign string // what the two ends were built as
}

func (e *VersionError) Error() string {
	older, newer := "this end", "the other"
	if e.Ours > e.Theirs {
		older, newer = newer, older
	}
	return fmt.Sprintf("the versions are too far apart: this end is %s with protocol %d, the other %s with protocol %d, and they may differ by one: update %s, or bring %s back",
		e.Build, e.Ours, e.Foreign, e.Theirs, older, newer)
}

// Refusal is what the console answers to an agent that it does not take, in words for people.
type Refusal struct {
	Why string
	// Final: the same will be refused again, whatever time passes: a used token, a removed node.
	Final bool
}

func (e *Refusal) Error() string { return "the console refuses this agent: " + e.Why }

// agree says whether two ends can work together.
func agree(ours, theirs int, build, foreign string) error {
	if theirs < ours-1 || theirs > ours+1 {
		return &VersionError{Ours: ours, Theirs: theirs, Build: build, Foreign: foreign}
	}
	return nil
}

// failed reports whether an error is worth more words than that the context has ended.
func failed(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && err != nil && !errors.Is(err, ended) {
		return ended
	}
	return err
}
