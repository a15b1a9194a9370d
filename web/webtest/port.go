package webtest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/meterhouse/meterhouse/gpu"
)

// Serve has an instance listen on a port of its own, as an address of a real server; it ends with the test.
func (f *Fleet) Serve(t testing.TB, id, port string, h http.Handler) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ports == nil {
		f.ports = make(map[string]string)
	}
	f.ports[id+" 127.0.0.1:"+port] = server.Listener.Addr().String()
}

// Dial reaches what Serve has listen.
func (f *Fleet) Dial(ctx context.Context, id, network, address string) (net.Conn, error) {
	f.mu.Lock()
	at, listens := f.ports[id+" "+address]
	f.mu.Unlock()
	if !listens || network != "tcp" {
		return nil, gpu.ErrNotItsPort
	}
	var d net.Dialer
	return d.DialContext(ctx, network, at)
}
