package web

import (
	"encoding/base64"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Images is a list of them.
type Images struct {
	Images     []Image `json:"images"`
	NextCursor string  `json:"next_cursor"`
}

// Image is what an instance can start from, or what is to become one.
type Image struct {
	ID        string         `json:"id"`
	Reference string         `json:"reference"`
	Node      string         `json:"node"`
	Status    string         `json:"status"`    // queued, pulling, building, saving, ready, failed, removing, removed
	Origin    string         `json:"origin"`    // found, pull, build, save
	ImageID   string         `json:"image_id"`  // of its configuration: what instances are pinned to
	Digest    string         `json:"digest"`    // of its manifest, as a registry knows it
	Bytes     int64          `json:"bytes"`     // on disk; 0 until it is ready
	Contents  *ImageContents `json:"contents"`  // null: not looked into, or in vain
	Team      string         `json:"team"`      // who sees it; "": everybody
	Person    string         `json:"person"`    // who asked for it; "": it was there
	Step      string         `json:"step"`      // of work on it, in the engine's words
	Done      int64          `json:"done"`      // steps
	Total     int64          `json:"total"`     // 0: not known
	Error     string         `json:"error"`     // why it failed, in the engine's words
	Instances int            `json:"instances"` // that use it and whose life goes on
	CreatedAt time.Time      `json:"created_at"`
	UsedAt    time.Time      `json:"used_at"`
}

// ImageContents is what an image was found to contain; "" where nothing was found.
type ImageContents struct {
	OS           string   `json:"os"`
	CUDA         string   `json:"cuda"`
	CuDNN        string   `json:"cudnn"`
	NCCL         string   `json:"nccl"`
	Python       string   `json:"python"`
	PyTorch      string   `json:"pytorch"`
	PyTorchCUDA  string   `json:"pytorch_cuda"`
	TensorFlow   string   `json:"tensorflow"`
	JAX          string   `json:"jax"`
	Capabilities []string `json:"capabilities"`
	Incomplete   bool     `json:"incomplete"`
}

// ImageBody asks for an image: reference alone pulls it, with dockerfile it is built, with instance_id saved.
type ImageBody struct {
	Reference      string `json:"reference"`
	Dockerfile     string `json:"dockerfile"`
	Context        string `json:"context"` // its files: a tar, in Base64
	InstanceID     string `json:"instance_id"`
	TeamOnly       bool   `json:"team_only"`
	IdempotencyKey string `json:"idempotency_key"`
}

// imageStatus is one word for where an image stands.
func imageStatus(m store.Image) string {
	if m.State == store.ImageWorking {
		return map[string]string{store.ImagePull: "pulling", store.ImageBuild: "building", store.ImageSave: "saving"}[m.Origin]
	}
	return m.State
}

func imageOut(m store.Image) Image {
	out := Image{ID: m.ID, Reference: m.Reference, Node: m.NodeName, Status: imageStatus(m), Origin: m.Origin, ImageID: m.EngineID, Digest: m.Digest, Bytes: m.Bytes, Team: m.TeamName,
		Person: m.PersonName, Step: m.Step, Done: m.Done, Total: m.Total, Error: m.Error, Instances: m.Instances, CreatedAt: m.CreatedAt, UsedAt: m.UsedAt}
	if m.Contents != nil {
		c := ImageContents(*m.Contents)
		if c.Capabilities == nil {
			c.Capabilities = []string{}
		}
		out.Contents = &c
	}
	return out
}

// image loads an image that the person may see.
func (s *Server) image(c *call, id string) (store.Image, error) {
	if !plainID(id) {
		return store.Image{}, notFound("image")
	}
	m, err := s.store.Image(c.Request().Context(), id)
	if err == nil && m.TeamID != "" && !c.sees(m.TeamID) {
		err = notFound("image")
	}
	if err != nil {
		return store.Image{}, err
	}
	return m, nil
}

func (s *Server) listImages(c *call) error {
	list, err := s.store.Images(c.Request().Context(), c.team())
	if err != nil {
		return err
	}
	out := Images{Images: make([]Image, 0, len(list))}
	for _, m := range list {
		out.Images = append(out.Images, imageOut(m))
	}
	return ok(c, out)
}

func (s *Server) getImage(c *call) error {
	m, err := s.image(c, c.Param("id"))
	if err != nil {
		return err
	}
	return ok(c, imageOut(m))
}

func (s *Server) createImage(c *call) error {
	var body ImageBody
	if err := decode(c, &body); err != nil {
		return err
	}
	n := store.NewImage{Origin: store.ImagePull, Reference: body.Reference, Dockerfile: body.Dockerfile, InstanceID: body.InstanceID, TeamOnly: body.TeamOnly}
	var err error
	switch {
	case body.InstanceID != "":
		n.Origin = store.ImageSave
		if _, err := s.instance(c, body.InstanceID); err != nil {
			return err
		}
	case body.Dockerfile != "" || body.Context != "":
		n.Origin = store.ImageBuild
		if n.Context, err = base64.StdEncoding.DecodeString(body.Context); err != nil {
			return invalid("context", "build_context_wrong")
		}
	}
	if n.Request, err = c.bodyRequest(&body.IdempotencyKey, &body); err != nil {
		return err
	}
	m, _, err := s.store.AskImage(c.Request().Context(), c.who.ID, n)
	if err != nil {
		return err
	}
	return accepted(c, apiRoot+"/images/"+m.ID, imageOut(m))
}

func (s *Server) deleteImage(c *call) error {
	m, err := s.image(c, c.Param("id"))
	if err == nil {
		err = s.store.RemoveImage(c.Request().Context(), c.who.ID, m.ID)
	}
	if err != nil {
		return err
	}
	return gone(c)
}
