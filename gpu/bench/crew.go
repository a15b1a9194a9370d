package bench

import "sync"

// crew is a fixed number of goroutines that work in step: each call of do runs the same function once on every worker.
// close waits for them.
type crew struct {
	size    int
	starts  []chan func(worker int)
	working sync.WaitGroup
	alive   sync.WaitGroup
}

func newCrew(size int) *crew {
	c := &crew{size: size}
	for worker := range size {
		start := make(chan func(int))
		c.starts = append(c.starts, start)
		c.alive.Go(func() {
			for work := range start {
				work(worker)
				c.working.Done()
			}
		})
	}
	return c
}

// do returns when every worker has done its part.
func (c *crew) do(work func(worker int)) {
	c.working.Add(c.size)
	for _, start := range c.starts {
		start <- work
	}
	c.working.Wait()
}

// part is the half-open range of n things that a worker takes, in steps of whole blocks.
func (c *crew) part(worker, n, block int) (from, to int) {
	blocks := (n + block - 1) / block
	from = min(n, blocks*worker/c.size*block)
	to = min(n, blocks*(worker+1)/c.size*block)
	return from, to
}

func (c *crew) close() {
	for _, start := range c.starts {
		close(start)
	}
	c.alive.Wait()
}
