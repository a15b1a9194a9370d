package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

const (
	imagesInterval = 15 * time.Second
	imagesPatience = 30 * time.Second // for an answer of the engine that is no work
	// progressEvery is how often the progress of work is written down, and looked whether it was given up.
	progressEvery = 500 * time.Millisecond
)

// tendImages keeps the catalogue of images and the node's own images in line.
func (m *machine) tendImages(ctx context.Context) error {
	if m.images == nil {
		return m.loop(ctx, "images", time.Hour, nil, func(ctx context.Context) error {
			return m.store.ImagesUnknown(ctx, m.nodeID(), gpu.ErrNoEngine.Error())
		})
	}
	return m.loop(ctx, "images", imagesInterval, m.imagesNow, m.seeToImages)
}

// seeToImages takes away what is to go, lists what is there, makes what is wanted, one after the other, and looks into what is
// new.
func (m *machine) seeToImages(ctx context.Context) error {
	if err := m.listImages(ctx); err != nil {
		return err
	}
	if err := m.removeImages(ctx); err != nil {
		return err
	}
	for {
		w, found, err := m.store.NextImageWork(ctx, m.nodeID())
		if err != nil {
			return err
		}
		if !found {
			break
		}
		made, failed := m.makeImage(ctx, w)
		if ctx.Err() != nil {
			return ctx.Err() // it is begun again by the next console
		}
		if err := m.store.FinishImage(ctx, w.ID, made, failed); err != nil {
			return err
		}
		if err := m.listImages(ctx); err != nil {
			return err
		}
	}
	return m.lookIntoImages(ctx)
}

// listImages tells the database what the node has. An engine that does not answer leaves the catalogue as it is.
func (m *machine) listImages(ctx context.Context) error {
	asked, cancel := context.WithTimeout(ctx, imagesPatience)
	defer cancel()
	at := m.now()
	listed, err := m.images.List(asked)
	var space gpu.ImageSpace
	if err == nil {
		space, err = m.images.Space(asked)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("list the images: %w", err), m.store.ImagesUnknown(ctx, m.nodeID(), err.Error()))
	}
	found := make([]store.FoundImage, 0, len(listed))
	for _, i := range listed {
		found = append(found, foundImage(i))
	}
	return m.store.SeeImages(ctx, m.nodeID(), found, store.ImageSpace{Bytes: space.Bytes, FreeBytes: space.FreeBytes}, at)
}

func foundImage(i gpu.Image) store.FoundImage {
	return store.FoundImage{EngineID: i.ID, Digest: i.Digest, References: i.References, Bytes: i.Bytes}
}

func (m *machine) removeImages(ctx context.Context) error {
	leaving, err := m.store.ImagesToRemove(ctx, m.nodeID())
	if err != nil {
		return err
	}
	for _, image := range leaving {
		asked, cancel := context.WithTimeout(ctx, imagesPatience)
		failed := m.images.Remove(asked, image.Reference)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := m.store.ImageGone(ctx, image.ID, failed); err != nil {
			return err
		}
	}
	return nil
}

// makeImage does one piece of work, until it is done or given up.
func (m *machine) makeImage(ctx context.Context, w store.ImageWork) (store.FoundImage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	steps := make(chan gpu.Progress, 1)
	told := make(chan struct{})
	go func() { // ends with steps, which is closed below
		defer close(told)
		m.tellProgress(ctx, cancel, w.ID, steps)
	}()
	progress := func(p gpu.Progress) {
		select {
		case <-steps: // the latest counts
		default:
		}
		steps <- p
	}
	made, err := m.workOn(ctx, w, progress)
	close(steps)
	<-told
	return foundImage(made), err
}

func (m *machine) workOn(ctx context.Context, w store.ImageWork, progress func(gpu.Progress)) (gpu.Image, error) {
	switch w.Origin {
	case store.ImagePull:
		return m.images.Pull(ctx, w.Reference, progress)
	case store.ImageBuild:
		r := gpu.Recipe{Reference: w.Reference, Dockerfile: w.Dockerfile}
		if len(w.Context) > 0 {
			r.Context = bytes.NewReader(w.Context)
		}
		return m.images.Build(ctx, r, progress)
	case store.ImageSave:
		return m.images.Commit(ctx, w.InstanceID, w.Reference)
	}
	return gpu.Image{}, fmt.Errorf("unknown work %q", w.Origin)
}

// tellProgress writes down the last of what it hears, now and then, and ends the work once somebody gave it up.
func (m *machine) tellProgress(ctx context.Context, end context.CancelFunc, id string, steps <-chan gpu.Progress) {
	look := time.NewTicker(progressEvery)
	defer look.Stop()
	var last gpu.Progress
	for {
		select {
		case p, more := <-steps:
			if !more {
				return
			}
			last = p
		case <-look.C:
			goesOn, err := m.store.ImageProgress(ctx, id, last.Step, last.Done, last.Total)
			if err == nil && !goesOn { // what can't be written now is written at the next look
				end()
			}
		}
	}
}

// lookIntoImages finds out what is in the images that nobody has looked into.
func (m *machine) lookIntoImages(ctx context.Context) error {
	unknown, err := m.store.ImagesToInspect(ctx, m.nodeID())
	if err != nil {
		return err
	}
	seen := map[string]bool{} // an image of several names is looked into once
	for _, image := range unknown {
		if seen[image.EngineID] {
			continue
		}
		seen[image.EngineID] = true
		c, failed := m.images.Contents(ctx, image.EngineID)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(failed, gpu.ErrNoEngine):
			return failed // it says nothing of the image
		}
		if err := m.store.SetImageContents(ctx, m.nodeID(), image.EngineID, store.ImageContents(c), failed); err != nil {
			return err
		}
	}
	return nil
}
