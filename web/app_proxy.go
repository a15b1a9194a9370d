package web

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// newAppTransport reaches the ports of instances: the host of an address is an instance's id.
func (s *Server) newAppTransport() *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			id, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			ctx, cancel := context.WithTimeout(ctx, attachTime)
			defer cancel()
			return s.dialPort(ctx, id, port)
		},
		DisableCompression: true, MaxIdleConns: 256, MaxIdleConnsPerHost: 8, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: maxHeader,
	}
}

// dialPort connects to a port of an instance, whichever of the loopback addresses its process listens on.
func (s *Server) dialPort(ctx context.Context, id, port string) (to net.Conn, err error) {
	for _, host := range []string{"127.0.0.1", "::1"} {
		if to, err = s.fleet.Dial(ctx, id, "tcp", net.JoinHostPort(host, port)); err == nil {
			return to, nil
		}
	}
	return nil, err
}

// passOn is one request through to the app and its answer back, as long as the person may: both as they come, nothing is kept.
func (s *Server) passOn(c *call, site appSite, path string, in store.Instance) (failed error) {
	k := newConn()
	if err := s.sockets.addApp(k, c.who.ID); err != nil {
		return err
	}
	defer s.sockets.remove(k)
	ctx, cancel := context.WithCancel(c.Request().Context())
	w := &appWriter{ResponseWriter: c.Response().Writer}
	var watch sync.WaitGroup
	watch.Go(func() { s.watchApp(ctx, c, k, in.Port, func() { cancel(); w.cut() }) })
	defer watch.Wait()
	defer cancel()
	port := strconv.Itoa(in.Port)
	host := net.JoinHostPort("localhost", port)
	proxy := httputil.ReverseProxy{
		Transport: s.appTransport, FlushInterval: -1, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		Rewrite: func(p *httputil.ProxyRequest) {
			plain, err := url.PathUnescape(path)
			if err != nil {
				plain = path
			}
			p.Out.URL = &url.URL{Scheme: "http", Host: net.JoinHostPort(in.ID, port), Path: plain, RawPath: path, RawQuery: p.In.URL.RawQuery}
			site.cleanRequest(p.Out, p.In, host)
			s.forwarded(p, site)
		},
		ModifyResponse: func(answer *http.Response) error {
			site.cleanAnswer(answer.Header, c.Request(), host)
			return nil
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			if failed = noneListens(err, in.Port); explain(failed).Kind == store.Internal {
				failed = &store.Error{Kind: store.Unavailable, Message: "app_cut", Args: map[string]string{"port": port}, Err: err}
			}
		},
	}
	proxy.ServeHTTP(w, c.Request().WithContext(ctx))
	if ctx.Err() != nil && c.Request().Context().Err() == nil {
		return &store.Error{Kind: store.Unauthorized, Message: "sign_in_first"}
	}
	return failed
}

// forwarded tells the app who asks, and under which address it is found.
func (s *Server) forwarded(p *httputil.ProxyRequest, site appSite) {
	h := p.Out.Header
	h.Set("X-Forwarded-For", s.address(p.In))
	h.Set("X-Forwarded-Host", p.In.Host)
	h.Set("X-Forwarded-Proto", "http")
	if s.secure(p.In) {
		h.Set("X-Forwarded-Proto", "https")
	}
	h.Del("X-Forwarded-Prefix")
	if before := site.prefix(); before != "" {
		h.Set("X-Forwarded-Prefix", before)
	}
}

// watchApp ends a request once its person may not enter any more, or the port is another.
func (s *Server) watchApp(ctx context.Context, c *call, k *conn, port int, end func()) {
	check := time.NewTicker(recheckEvery)
	defer check.Stop()
	own := *c // its person is asked for anew, while the request goes on
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.done: // the console stops
			end()
			return
		case <-check.C:
		case <-k.ask:
		}
		in, err := s.instance(&own, own.Param("id"))
		if s.stillActs(&own) != "" || err == nil && in.Port != port {
			end()
			return
		}
	}
}

// appWriter writes an app's answer to a browser. It can be cut also where the browser reads no more, and passes on no answer before
// the answer: their headers are not looked at.
type appWriter struct {
	http.ResponseWriter
	mu    sync.Mutex
	taken net.Conn
	over  bool
}

// WriteHeader drops answers that are only announcements.
func (w *appWriter) WriteHeader(status int) {
	if status < http.StatusOK && status != http.StatusSwitchingProtocols {
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Hijack remembers the connection.
func (w *appWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, buffer, err := http.NewResponseController(w.ResponseWriter).Hijack()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.taken = c; w.over && c != nil {
		_ = c.Close()
	}
	return c, buffer, err
}

// FlushError sends what is there.
func (w *appWriter) FlushError() error { return http.NewResponseController(w.ResponseWriter).Flush() }

func (w *appWriter) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over = true; w.taken != nil {
		_ = w.taken.Close()
		return
	}
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now()) // one that does not read holds nothing up
}
