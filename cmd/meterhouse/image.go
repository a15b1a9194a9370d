package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// image is what the API says of one.
type image struct {
	ID        string          `json:"id"`
	Reference string          `json:"reference"`
	Status    string          `json:"status"`
	Bytes     int64           `json:"bytes"`
	Contents  map[string]any  `json:"contents"`
	Instances int             `json:"instances"`
	UsedAt    time.Time       `json:"used_at"`
	Step      string          `json:"step"`
	Error     string          `json:"error"`
	raw       json.RawMessage // all that the API said
}

// UnmarshalJSON keeps what it reads, so that --json prints all of it.
func (i *image) UnmarshalJSON(text []byte) error {
	type plain image
	i.raw = bytes.Clone(text)
	return json.Unmarshal(text, (*plain)(i))
}

// contains names what people choose an image for.
func (i image) contains() string {
	if i.Contents == nil {
		return "?"
	}
	var parts []string
	for _, p := range [][2]string{{"cuda", "CUDA"}, {"cudnn", "cuDNN"}, {"nccl", "NCCL"}, {"pytorch", "PyTorch"}, {"tensorflow", "TensorFlow"}, {"jax", "JAX"}, {"python", "Python"}} {
		if v, _ := i.Contents[p[0]].(string); v != "" {
			parts = append(parts, p[1]+" "+v)
		}
	}
	return strings.Join(parts, ", ")
}

func (c *client) images(ctx context.Context) (list []image, raw json.RawMessage, err error) {
	if err := c.get(ctx, "/images", nil, &raw); err != nil {
		return nil, nil, err
	}
	var answer struct {
		Images []image `json:"images"`
	}
	err = json.Unmarshal(raw, &answer)
	return answer.Images, raw, err
}

func imageList(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	list, raw, err := api.images(ctx)
	if err != nil {
		return err
	}
	if *flags.json {
		return c.printJSON(raw)
	}
	t := table{head: []string{"NAME", "STATUS", "SIZE", "USED BY", "CONTAINS"}}
	for _, i := range list {
		t.add(i.Reference, i.Status, fmt.Sprintf("%d MB", i.Bytes/1_000_000), fmt.Sprint(i.Instances), i.contains())
	}
	return t.print(c.out)
}

// imageRequest is the body of POST /images.
type imageRequest struct {
	Reference  string `json:"reference"`
	Dockerfile string `json:"dockerfile,omitempty"`
	Context    []byte `json:"context,omitempty"`
	InstanceID string `json:"instance_id,omitempty"`
	TeamOnly   bool   `json:"team_only,omitempty"`
	Key        string `json:"idempotency_key"`
}

// imageFlags are those of what makes an image.
type imageFlags struct {
	clientFlags
	wait *bool
}

func (f *flagSet) image() imageFlags {
	return imageFlags{f.client(), f.Bool("wait", false, "wait until it is there, and show how far it is")}
}

func imagePull(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.image()
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	return c.askImage(ctx, flags, imageRequest{Reference: args[0]})
}

func imageSave(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.image()
	name := f.String("name", "", "what the image is called, such as trainer:1")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	return c.askImage(ctx, flags, imageRequest{Reference: *name, InstanceID: args[0]})
}

// askImage asks for an image and, where that is wished, waits for it.
func (c *call) askImage(ctx context.Context, flags imageFlags, r imageRequest) error {
	if r.Reference == "" {
		return misuse("what is it called? --name")
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	r.Key = "cli-" + rand.Text()
	var i image
	if err := api.post(ctx, "/images", r, &i, true); err != nil {
		return err
	}
	for last := ""; *flags.wait && i.Status != "ready" && i.Status != "failed" && i.Status != "removed"; {
		if i.Step != "" && i.Step != last {
			fmt.Fprintln(c.err, i.Step)
			last = i.Step
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(imagePause):
		}
		if err := api.get(ctx, "/images/"+i.ID, nil, &i); err != nil {
			return err
		}
	}
	if *flags.json {
		err = c.printJSON(i.raw)
	} else {
		_, err = fmt.Fprintf(c.out, "%s  %s  %s\n", i.ID, i.Status, i.Reference)
	}
	if *flags.wait && i.Status != "ready" {
		err = errors.Join(err, fmt.Errorf("%s: %s", i.Status, i.Error))
	}
	return err
}

const imagePause = time.Second

// imageRemove removes images by name or id; one that can't be removed does not keep the others.
func imageRemove(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	args, tail, err := f.parse()
	if err != nil {
		return err
	}
	if args = append(args, tail...); len(args) == 0 {
		return misuse("which image?")
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	list, _, err := api.images(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range args {
		id := name
		for _, i := range list {
			if i.Reference == name || i.Reference == "localhost/"+name {
				id = i.ID
			}
		}
		if err := api.do(ctx, http.MethodDelete, "/images/"+url.PathEscape(id), nil, nil, true); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}
