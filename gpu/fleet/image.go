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
func (f *Fleet) tendImages(ctx context.Context) error {
	if f.images == nil {
		return f.loop(ctx, "images", time.Hour, nil, func(ctx context.Context) error {
			return f.store.ImagesUnknown(ctx, f.nodeID(), gpu.ErrNoEngine.Error())
		})
	}
	return f.loop(ctx, "images", imagesInterval, f.imagesNow, f.seeToImages)
}

// seeToImages takes away what is to go, lists what is there, makes what is wanted, one after the other, and looks into what is
// new.
func (f *Fleet) seeToImages(ctx context.Context) error {
	if err := f.listImages(ctx); err != nil {
		return err
	}
	if err := f.removeImages(ctx); err != nil {
		return err
	}
	for {
		w, found, err := f.store.NextImageWork(ctx, f.nodeID())
		if err != nil {
			return err
		}
		if !found {
			break
		}
		made, failed := f.makeImage(ctx, w)
		if ctx.Err() != nil {
			return ctx.Err() // it is begun again by the next console
		}
		if err := f.store.FinishImage(ctx, w.ID, made, failed); err != nil {
			return err
		}
		if err := f.listImages(ctx); err != nil {
			return err
		}
	}
	return f.lookIntoImages(ctx)
}

// listImages tells the database what the node has. An engine that does not answer leaves the catalogue as it is.
func (f *Fleet) listImages(ctx context.Context) error {
	asked, cancel := context.WithTimeout(ctx, imagesPatience)
	defer cancel()
	at := f.now()
	listed, err := f.images.List(asked)
	var space gpu.ImageSpace
	if err == nil {
		space, err = f.images.Space(asked)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("list the images: %w", err), f.store.ImagesUnknown(ctx, f.nodeID(), err.Error()))
	}
	found := make([]store.FoundImage, 0, len(listed))
	for _, i := range listed {
		found = append(found, foundImage(i))
	}
	return f.store.SeeImages(ctx, f.nodeID(), found, store.ImageSpace{Bytes: space.Bytes, FreeBytes: space.FreeBytes}, at)
}

func foundImage(i gpu.Image) store.FoundImage {
	return store.FoundImage{EngineID: i.ID, Digest: i.Digest, References: i.References, Bytes: i.Bytes}
}

func (f *Fleet) removeImages(ctx context.Context) error {
	leaving, err := f.store.ImagesToRemove(ctx, f.nodeID())
	if err != nil {
		return err
	}
	for _, m := range leaving {
		asked, cancel := context.WithTimeout(ctx, imagesPatience)
		failed := f.images.Remove(asked, m.Reference)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := f.store.ImageGone(ctx, m.ID, failed); err != nil {
			return err
		}
	}
	return nil
}

// makeImage does one piece of work, until it is done or given up.
func (f *Fleet) makeImage(ctx context.Context, w store.ImageWork) (store.FoundImage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	steps := make(chan gpu.Progress, 1)
	told := make(chan struct{})
	go func() { // ends with steps, which is closed below
		defer close(told)
		f.tellProgress(ctx, cancel, w.ID, steps)
	}()
	progress := func(p gpu.Progress) {
		select {
		case <-steps: // the latest counts
		default:
		}
		steps <- p
	}
	made, err := f.workOn(ctx, w, progress)
	close(steps)
	<-told
	return foundImage(made), err
}

func (f *Fleet) workOn(ctx context.Context, w store.ImageWork, progress func(gpu.Progress)) (gpu.Image, error) {
	switch w.Origin {
	case store.ImagePull:
		return f.images.Pull(ctx, w.Reference, progress)
	case store.ImageBuild:
		r := gpu.Recipe{Reference: w.Reference, Dockerfile: w.Dockerfile}
		if len(w.Context) > 0 {
			r.Context = bytes.NewReader(w.Context)
		}
		return f.images.Build(ctx, r, progress)
	case store.ImageSave:
		return f.images.Commit(ctx, w.InstanceID, w.Reference)
	}
	return gpu.Image{}, fmt.Errorf("unknown work %q", w.Origin)
}

// tellProgress writes down the last of what it hears, now and then, and ends the work once somebody gave it up.
func (f *Fleet) tellProgress(ctx context.Context, end context.CancelFunc, id string, steps <-chan gpu.Progress) {
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
			goesOn, err := f.store.ImageProgress(ctx, id, last.Step, last.Done, last.Total)
			if err == nil && !goesOn { // what can't be written now is written at the next look
				end()
			}
		}
	}
}

// lookIntoImages finds out what is in the images that nobody has looked into.
func (f *Fleet) lookIntoImages(ctx context.Context) error {
	unknown, err := f.store.ImagesToInspect(ctx, f.nodeID())
	if err != nil {
		return err
	}
	seen := map[string]bool{} // an image of several names is looked into once
	for _, m := range unknown {
		if seen[m.EngineID] {
			continue
		}
		seen[m.EngineID] = true
		c, failed := f.images.Contents(ctx, m.EngineID)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(failed, gpu.ErrNoEngine):
			return failed // it says nothing of the image
		}
		if err := f.store.SetImageContents(ctx, f.nodeID(), m.EngineID, store.ImageContents(c), failed); err != nil {
			return err
		}
	}
	return nil
}
