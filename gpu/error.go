package gpu

import "errors"

var (
	// ErrNoInstance: the executor knows no instance of that id.
	ErrNoInstance = errors.New("no such instance on this node")
	// ErrNotRunning: the instance has ended.
	ErrNotRunning = errors.New("the instance is not running")
	// ErrNoDevice: the source knows no device of that UUID.
	ErrNoDevice = errors.New("no such GPU on this node")
	// ErrClosed: the source was closed.
	ErrClosed = errors.New("the source of GPU readings is closed")
)
