// Package plan counts the instances that free GPUs can hold. It imports nothing, reads no clock and touches no database. The
// rule it keeps: all GPUs of an instance are on one node.
package plan

// Node is a node with the GPUs of one pool that are free on it.
type Node struct {
	ID, Name string
	Free     []GPU
}

// GPU is one free GPU.
type GPU struct {
	UUID  string
	Index int
}

// Fits returns how many instances of count GPUs each the nodes' free GPUs can hold.
func Fits(nodes []Node, count int) int {
	if count <= 0 {
		return 0
	}
	total := 0
	for _, n := range nodes {
		total += len(n.Free) / count
	}
	return total
}
