package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/meterhouse/meterhouse/store"
)

const (
	pingEvery = 20 * time.Second
	pongWait  = 60 * time.Second
	// writeWait is how long one message may take; a client that takes longer is gone, or as good as gone.
	writeWait = 10 * time.Second
	// recheckEvery is how soon a session that another process revoked loses what it has open; here it does at once.
	recheckEvery   = 3 * time.Second
	maxSockets     = 2000 // of all
	maxOwnSockets  = 32   // of one person
	socketBuffer   = 4 << 10
	maxSocketFrame = 64 << 10
	// Pages of apps open many: beside the console's own, these are what goes on through instances' ports.
	maxApps    = 4000
	maxOwnApps = 256
)

// sockets are all open websockets, so that they can be counted and ended.
type sockets struct {
	mu      sync.Mutex
	open    map[*conn]holder
	closing bool
	group   sync.WaitGroup
}

// holder is whose a socket is, and whether it leads to an app.
type holder struct {
	person string
	app    bool
}

// add registers a socket for a person and refuses it where they have too many.
func (s *sockets) add(c *conn, person string) error {
	return s.hold(c, holder{person: person}, maxOwnSockets, maxSockets)
}

// addApp registers what goes on through an instance's port.
func (s *sockets) addApp(c *conn, person string) error {
	return s.hold(c, holder{person, true}, maxOwnApps, maxApps)
}

func (s *sockets) hold(c *conn, by holder, most, mostOfAll int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return &store.Error{Kind: store.Unavailable, Message: "stopping", RetryAfter: time.Second}
	}
	own, all := 0, 0
	for _, h := range s.open {
		if h == by {
			own++
		}
		if h.app == by.app {
			all++
		}
	}
	if own >= most || all >= mostOfAll {
		return &store.Error{Kind: store.TooMany, Message: "too_many_sockets", RetryAfter: 10 * time.Second}
	}
	if s.open == nil {
		s.open = make(map[*conn]holder)
	}
	s.open[c] = by
	s.group.Add(1)
	return nil
}

func (s *sockets) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.open[c]; there {
		delete(s.open, c)
		s.group.Done()
	}
}

// closeAll tells every client that the console goes away, and refuses new ones.
func (s *sockets) closeAll() {
	s.mu.Lock()
	s.closing = true
	all := make([]*conn, 0, len(s.open))
	for c := range s.open {
		all = append(all, c)
	}
	s.mu.Unlock()
	for _, c := range all {
		c.goAway()
	}
}

// recheck makes every socket find out now whether its person may still look.
func (s *sockets) recheck() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		select {
		case c.ask <- struct{}{}:
		default:
		}
	}
}

// wait returns when every socket's handler has.
func (s *sockets) wait() { s.group.Wait() }

// conn is one websocket. Any goroutine may send; only its handler's reader reads.
type conn struct {
	ws   *websocket.Conn // nil until the upgrade
	mu   sync.Mutex      // one writer at a time
	done chan struct{}   // closed when the socket is over
	ask  chan struct{}   // has room for one: find out again whether the person may
	once sync.Once
}

func newConn() *conn { return &conn{done: make(chan struct{}), ask: make(chan struct{}, 1)} }

// upgrade opens the websocket that a request asks for and hands it to serve; where that is not possible the error is
// answered as any other.
func (s *Server) upgrade(c *call, protocol string, serve func(*conn) error) error {
	r := c.Request()
	if !websocket.IsWebSocketUpgrade(r) {
		return &store.Error{Kind: malformed, Message: "websocket_wanted"}
	}
	if !slices.Contains(websocket.Subprotocols(r), protocol) {
		return &store.Error{Kind: malformed, Message: "subprotocol_wanted", Args: map[string]string{"protocol": protocol}}
	}
	k := newConn()
	if err := s.sockets.add(k, c.who.ID); err != nil {
		return err
	}
	defer s.sockets.remove(k)
	up := websocket.Upgrader{
		Subprotocols: []string{protocol}, ReadBufferSize: socketBuffer, WriteBufferSize: socketBuffer, HandshakeTimeout: headerTime,
		CheckOrigin: func(*http.Request) bool { return true }, // checkForgery has
		Error:       func(http.ResponseWriter, *http.Request, int, error) {},
	}
	ws, err := up.Upgrade(c.Response(), r, nil)
	if err != nil {
		return &store.Error{Kind: malformed, Message: "websocket_wanted", Err: err}
	}
	k.attach(ws)
	defer k.close()
	return serve(k)
}

func (k *conn) attach(ws *websocket.Conn) {
	ws.SetReadLimit(maxSocketFrame)
	ws.SetPongHandler(func(string) error { return ws.SetReadDeadline(time.Now().Add(pongWait)) })
	_ = ws.SetReadDeadline(time.Now().Add(pongWait)) // fails only on a closed socket, and so does the next read
	k.mu.Lock()
	k.ws = ws
	k.mu.Unlock()
}

func (k *conn) close() {
	k.once.Do(func() { close(k.done) })
	_ = k.ws.Close() // nothing is lost by it
}

// goAway ends a socket as the console stops: the client connects again.
func (k *conn) goAway() {
	k.mu.Lock()
	ws := k.ws
	k.mu.Unlock()
	if ws != nil {
		text := websocket.FormatCloseMessage(websocket.CloseGoingAway, "")
		_ = ws.WriteControl(websocket.CloseMessage, text, time.Now().Add(time.Second))
	}
	k.once.Do(func() { close(k.done) })
	if ws != nil {
		_ = ws.Close()
	}
}

// send writes one message, or fails within writeWait.
func (k *conn) send(kind int, data []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	_ = k.ws.SetWriteDeadline(time.Now().Add(writeWait))
	return k.ws.WriteMessage(kind, data)
}

// sendPrepared writes a message that many clients share.
func (k *conn) sendPrepared(m *websocket.PreparedMessage) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	_ = k.ws.SetWriteDeadline(time.Now().Add(writeWait))
	return k.ws.WritePreparedMessage(m)
}

// say writes a control message as JSON text.
func (k *conn) say(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return k.send(websocket.TextMessage, text)
}

// finish says why the socket ends and closes it in order.
func (k *conn) finish(v any) error {
	if err := k.say(v); err != nil {
		return err
	}
	text := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	return k.ws.WriteControl(websocket.CloseMessage, text, time.Now().Add(writeWait))
}

func (k *conn) ping() error {
	return k.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeWait))
}

// drain reads and drops what a client sends that has nothing to say, until the socket ends.
func (k *conn) drain() {
	defer k.once.Do(func() { close(k.done) })
	for {
		if _, _, err := k.ws.NextReader(); err != nil {
			return
		}
	}
}

// end is the message that says why a socket ends.
type end struct {
	Type   string `json:"type"` // "end"
	Reason string `json:"reason"`
}

const (
	endSignedOut = "signed_out"
	endGone      = "gone"
	endStopped   = "stopped"
)
