package store

// Plan is an instance type.
type Plan struct {
	ID, GPUModel                            string // GPUModel is "" for CPU-only work
	GPUCount                                int
	CPUMillis, MemoryBytes, Pids, DiskBytes int64
	Simulated                               bool
}
