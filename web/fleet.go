package web

import (
	"context"
	"io"
	"net"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/fleet"
	"github.com/meterhouse/meterhouse/gpu/volume"
)

// Fleet is what pages and API need of the fleet: last values, and ways into running instances. *fleet.Fleet is the real
// one; webtest has one without hardware and processes.
type Fleet interface {
	Latest(uuid string) (r gpu.Reading, age time.Duration, ok bool)
	Samples(uuid string, from, to time.Time) []gpu.Reading
	Watch() (ticks <-chan fleet.Tick, cancel func())
	Device(uuid string) (gpu.Device, bool)
	Attach(ctx context.Context, instanceID string, size gpu.Size) (gpu.Terminal, error)
	Exec(ctx context.Context, instanceID string, req gpu.ExecRequest) (gpu.Exit, error)
	Dial(ctx context.Context, instanceID, network, address string) (net.Conn, error)
	Log(ctx context.Context, instanceID string, offset int64, follow bool) (r io.ReadCloser, at int64, err error)
	Limits(nodeID string) []gpu.Limit
	VolumeTree(ctx context.Context, id string) (*volume.Tree, error)
	Kick()
	Ready() bool
}

var _ Fleet = (*fleet.Fleet)(nil)
