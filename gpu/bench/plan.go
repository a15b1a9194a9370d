package bench

import "fmt"

// plan is a request with its size decided.
type plan struct {
	size  int
	seed  int64
	notes []Note
	flaws []Reason
}

// Sizes of the stream suite, for all three arrays together.
const (
	usualStreamBytes = 768 << 20  // 3 × 32 Mi numbers: out of the caches of most machines, and within a small instance
	largeStreamBytes = 1536 << 20 // what caches may ask for on any machine; above it, only a part of what is free
	largeMemoryShare = 4          // that part: a quarter
	cacheMultiple    = 4          // STREAM's run rule: each array at least 4 times the last-level caches
)

// usualMatmulSize keeps both matrices and the product out of the private caches and a run within a fraction of a second.
const usualMatmulSize = 1024

// Of the memory that is left, what a run may take: the rest is for the runtime and for others.
const memoryPartNumerator, memoryPartDenominator = 6, 10

// decide chooses the size: the one that was asked for if it fits, else the usual one.
func decide(r Request, env Environment) (plan, error) {
	if r.Suite == SuiteMatmul {
		return decideMatmul(r, env)
	}
	return decideStream(r, env)
}

func decideStream(r Request, env Environment) (plan, error) {
	p := plan{size: r.Size, seed: r.Seed}
	cache := env.CacheBytes
	if cache == 0 {
		cache = assumedCacheBytes
		p.notes = append(p.notes, NoteCacheUnknown)
	}
	element := int64(streamArrays * streamElement)
	needed := cacheMultiple * cache * streamArrays
	if p.size == 0 {
		allowed := max(largeStreamBytes, env.MemoryBytes/largeMemoryShare)
		p.size = int(min(max(usualStreamBytes, needed), allowed) / element)
	}
	if room := usable(env); room > 0 && int64(p.size)*element > room {
		p.size = int(room / element / lineElements * lineElements)
		p.notes = append(p.notes, NoteSizeShrunk)
	}
	if p.size < minStreamSize {
		return p, fmt.Errorf("%d bytes of memory are free, stream needs %d at least", env.MemoryBytes, minStreamSize*element*2)
	}
	if int64(p.size)*element < needed {
		p.flaws = append(p.flaws, ReasonInCache)
	}
	return p, nil
}

func decideMatmul(r Request, env Environment) (plan, error) {
	p := plan{size: r.Size, seed: r.Seed}
	if p.size == 0 {
		p.size = usualMatmulSize
	}
	room := usable(env)
	if room == 0 || matmulBytes(p.size) <= room {
		return p, nil
	}
	p.notes = append(p.notes, NoteSizeShrunk)
	for matmulBytes(p.size) > room {
		p.size = p.size / 2
		if p.size < minMatmulSize {
			return p, fmt.Errorf("%d bytes of memory are free, too few for matmul", env.MemoryBytes)
		}
	}
	return p, nil
}

// usable is how many bytes a run may take; 0: the machine does not tell.
func usable(env Environment) int64 {
	return env.MemoryBytes / memoryPartDenominator * memoryPartNumerator
}
