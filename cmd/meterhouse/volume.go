package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
)

// volumeLine is what the API says of a volume.
type volumeLine struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Status      string `json:"status"`
	Shared      bool   `json:"shared"`
	GiB         int64  `json:"gib"`
	Used        *int64 `json:"used_bytes"`
	Month       int64  `json:"month_micros"`
	Fault       string `json:"fault"`
	Attachments []struct {
		Instance string `json:"instance"`
		Path     string `json:"path"`
	} `json:"attachments"`
	Snapshots []struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"snapshots"`
}

func volumeList(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	var whole json.RawMessage
	if err := api.get(ctx, "/volumes", nil, &whole); err != nil {
		return err
	}
	if *flags.json {
		return c.printJSON(whole)
	}
	var answer struct{ Volumes []volumeLine }
	if err := json.Unmarshal(whole, &answer); err != nil {
		return err
	}
	t := table{head: []string{"ID", "NAME", "STATUS", "GIB", "USED", "MONTH", "ATTACHED", "SNAPSHOTS"}}
	for _, v := range answer.Volumes {
		used, at := "-", []string{}
		if v.Used != nil {
			used = strconv.FormatInt(*v.Used, 10)
		}
		for _, a := range v.Attachments {
			at = append(at, a.Instance+":"+a.Path)
		}
		t.add(v.ID, v.Name, v.Status, strconv.FormatInt(v.GiB, 10), used, amount(v.Month), strings.Join(at, " "), strconv.Itoa(len(v.Snapshots)))
	}
	return t.print(c.out)
}

func volumeCreate(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	size := f.Int("gib", 0, "its size in GiB")
	shared := f.Bool("shared", false, "the whole team may use it")
	from := f.String("snapshot", "", "the snapshot that it begins as; empty if none")
	key := f.String("idempotency-key", "", "the same key makes it once, however often it is sent")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	if *size < 1 {
		return misuse("--gib is 1 or more")
	}
	if *key == "" {
		*key = "cli-" + rand.Text()
	}
	return c.volumeCall(ctx, flags, http.MethodPost, "/volumes", map[string]any{"name": args[0], "gib": *size, "shared": *shared, "snapshot": *from, "idempotency_key": *key})
}

// volumeCall sends a change and prints the id of what it made.
func (c *call) volumeCall(ctx context.Context, flags clientFlags, method, path string, body any) error {
	api, err := flags.client()
	if err != nil {
		return err
	}
	var whole json.RawMessage
	if err := api.do(ctx, method, path, body, &whole, true); err != nil || len(whole) == 0 {
		return err
	}
	if *flags.json {
		return c.printJSON(whole)
	}
	var made struct{ ID string }
	if err := json.Unmarshal(whole, &made); err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, made.ID)
	return err
}

// volumeID finds a volume by its id or name.
func (c *client) volumeID(ctx context.Context, text string) (string, error) {
	var answer struct{ Volumes []volumeLine }
	if err := c.get(ctx, "/volumes", nil, &answer); err != nil {
		return "", err
	}
	found := ""
	for _, v := range answer.Volumes {
		switch {
		case v.ID == text:
			return v.ID, nil
		case v.Name == text && found != "":
			return "", fmt.Errorf("several teams have a volume %q: name it by its id", text)
		case v.Name == text:
			found = v.ID
		}
	}
	if found == "" {
		return "", fmt.Errorf("there is no volume %q", text)
	}
	return found, nil
}

func volumeRemove(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	snapshot := f.String("snapshot", "", "delete this snapshot of it alone")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	id, err := api.volumeID(ctx, args[0])
	if err != nil {
		return err
	}
	if *snapshot != "" {
		return api.do(ctx, http.MethodDelete, "/volumes/"+id+"/snapshots?"+url.Values{"snapshot": {*snapshot}}.Encode(), nil, nil, true)
	}
	return api.do(ctx, http.MethodDelete, "/volumes/"+id, nil, nil, true)
}

func volumeSnapshot(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	args, err := f.parseArgs(2)
	if err != nil {
		return err
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	id, err := api.volumeID(ctx, args[0])
	if err != nil {
		return err
	}
	return c.volumeCall(ctx, flags, http.MethodPost, "/volumes/"+id+"/snapshots", map[string]any{"name": args[1], "idempotency_key": "cli-" + rand.Text()})
}

// volumePath splits NAME:PATH.
func volumePath(text string) (name, file string, err error) {
	name, file, found := strings.Cut(text, ":")
	if !found || name == "" || file == "" {
		return "", "", misuse("%q is no file in a volume, such as data:models/a.bin", text)
	}
	return name, file, nil
}

// volumePut sends a file, or what is piped in, as it is.
func volumePut(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	args, err := f.parseArgs(2)
	if err != nil {
		return err
	}
	name, file, err := volumePath(args[1])
	if err != nil {
		return err
	}
	from := c.in
	if args[0] != "-" {
		opened, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer opened.Close()
		from = opened
		if strings.HasSuffix(file, "/") {
			file = path.Join(file, opened.Name()[strings.LastIndex(opened.Name(), "/")+1:])
		}
	}
	res, err := flags.volumeFile(ctx, http.MethodPut, name, "files", file, from)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// volumeGet brings a file, to a file or to stdout.
func volumeGet(ctx context.Context, c *call) (err error) {
	f := c.flags()
	flags := f.client()
	args, err := f.parseArgs(2)
	if err != nil {
		return err
	}
	name, file, err := volumePath(args[0])
	if err != nil {
		return err
	}
	res, err := flags.volumeFile(ctx, http.MethodGet, name, "content", file, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if args[1] == "-" {
		_, err = io.Copy(c.raw.out, res.Body)
		return err
	}
	to, err := os.OpenFile(args[1], os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = io.Copy(to, res.Body); err == nil {
		err = to.Close()
	}
	if err != nil {
		_ = to.Close()
		_ = os.Remove(args[1]) // half of it is nothing
	}
	return err
}

// volumeFile sends or asks for a file of a volume, without a limit of time.
func (f clientFlags) volumeFile(ctx context.Context, method, name, under, file string, body io.Reader) (*http.Response, error) {
	api, err := f.client()
	if err != nil {
		return nil, err
	}
	id, err := api.volumeID(ctx, name)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, api.base+"/api/v1/volumes/"+id+"/"+under+"?"+url.Values{"path": {file}}.Encode(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+api.token)
	req.Header.Set("User-Agent", "meterhouse/"+version)
	res, err := api.http.Do(req)
	if err != nil {
		return nil, api.unreached(err)
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }() // only read from
	return nil, readProblem(res)
}
