package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	// clientPatience bounds one request; streams have none.
	clientPatience = 30 * time.Second
	// clientTries is how often a request that did not reach the console is sent: it may just be restarting.
	clientTries    = 4
	clientWait     = 250 * time.Millisecond
	maxAnswer      = 32 << 20 // bytes of one answer
	maxProblemText = 2 << 10
)

// client speaks the HTTP API of a console.
type client struct {
	base  string // without a slash at its end
	token string
	http  *http.Client
}

// clientFlags are what every client verb takes.
type clientFlags struct {
	url, token *string
	json       *bool
}

func (f *flagSet) client() clientFlags {
	return clientFlags{
		url:   f.String("url", "http://"+defaultListen, "the console's address"),
		token: f.String("token", "", "who you are; better in the environment, where others can't read it"),
		json:  f.Bool("json", false, "print JSON"),
	}
}

// errNoToken is what everybody meets first. It is no wrong use that a list of flags would help with.
var errNoToken = usageError{text: "a token is needed: make one on the console's page Settings, or on its machine, and put it into the environment:\n" +
	"  export METERHOUSE_TOKEN=$(meterhouse admin token create --user \"you@example.com\" --data DIR)", whole: true}

// client makes the client that the flags describe.
func (f clientFlags) client() (*client, error) {
	u, err := url.Parse(*f.url)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, misuse("--url %q is no address such as http://127.0.0.1:8080", *f.url)
	}
	if *f.token == "" {
		return nil, errNoToken
	}
	if strings.ContainsAny(*f.token, "\r\n\x00 ") {
		return nil, misuse("the token in METERHOUSE_TOKEN has characters that no token has")
	}
	return &client{base: strings.TrimRight(*f.url, "/"), token: *f.token, http: &http.Client{}}, nil
}

// noCapacity is the type of a problem: nothing that was asked for is free.
const noCapacity = "urn:meterhouse:problem:no_capacity"

// problem is the API's answer to what went wrong.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Errors []fieldProblem
	ID     string `json:"id"`
}

// fieldProblem is what is wrong with one field.
type fieldProblem struct{ Field, Message string }

func (p *problem) Error() string {
	text := p.Detail
	if text == "" {
		text = p.Title
	}
	for _, e := range p.Errors {
		if e.Message == text { // a single field's words are the detail already
			text = e.Field + ": " + text
			continue
		}
		text += fmt.Sprintf("\n  %s: %s", e.Field, e.Message)
	}
	if p.Status >= http.StatusInternalServerError && p.ID != "" {
		text += fmt.Sprintf(" (%s)", p.ID)
	}
	return text
}

// get asks for a path below /api/v1 and decodes the answer.
func (c *client) get(ctx context.Context, path string, query url.Values, into any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.do(ctx, http.MethodGet, path, nil, into, true)
}

// post sends a body. Only one that may be sent again without a second effect is retried.
func (c *client) post(ctx context.Context, path string, body, into any, again bool) error {
	return c.do(ctx, http.MethodPost, path, body, into, again)
}

func (c *client) do(ctx context.Context, method, path string, body, into any, again bool) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	for try := 1; ; try++ {
		err := c.once(ctx, method, path, text, into)
		var unreached *net.OpError
		if err == nil || !again || try == clientTries || !errors.As(err, &unreached) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(clientWait * time.Duration(try)):
		}
	}
}

func (c *client) once(ctx context.Context, method, path string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, clientPatience)
	defer cancel()
	res, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // only read from
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the console's answer: %w", err)
	}
	if into == nil || len(bytes.TrimSpace(answer)) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("the console at %s answers something else than the API: %w", c.base, err)
	}
	return nil
}

// send sends a request and returns the answer if it is a good one; the caller closes its body.
func (c *client) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", "application/json, text/plain, application/problem+json")
	req.Header.Set("User-Agent", "meterhouse/"+version)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreached(err)
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }() // only read from
	return nil, readProblem(res)
}

// blames reports whether err is an answer that finds fault with one of these fields.
func blames(err error, fields ...string) bool {
	var p *problem
	return errors.As(err, &p) && slices.ContainsFunc(p.Errors, func(e fieldProblem) bool { return slices.Contains(fields, e.Field) })
}

// unreached says what to do when nobody answers.
func (c *client) unreached(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf("no console answers at %s: is it running, and is METERHOUSE_URL right? (%w)", c.base, err)
	}
	return err
}

// readProblem reads the answer to a failed request.
func readProblem(res *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(res.Body, maxProblemText*8))
	if err != nil {
		return fmt.Errorf("%s, and the rest of the answer was lost: %w", res.Status, err)
	}
	p := &problem{Status: res.StatusCode}
	if json.Unmarshal(text, p) != nil || p.Detail == "" && p.Title == "" {
		return fmt.Errorf("the console answers %s: %s", res.Status, strings.TrimSpace(string(text[:min(len(text), maxProblemText)])))
	}
	return p
}
