package gpu

import (
	"context"
	"errors"
	"io"
	"time"
)

var (
	// ErrNoImage: the node has no such image.
	ErrNoImage = errors.New("no such image on this node")
	// ErrImageInUse: a container was made from the image and is still there.
	ErrImageInUse = errors.New("the image is in use")
	// ErrNoEngine: nothing on the node keeps images, or it does not answer.
	ErrNoEngine = errors.New("no container engine answers on this node")
)

// Image is what a node can start an instance from.
type Image struct {
	ID           string    // of its configuration, "sha256:…": the same bytes are the same id on every node
	Digest       string    // of its manifest, as a registry knows it; "" for one that was only ever here
	References   []string  // the names it goes by, with their tags; none: it can be named by its id alone
	Bytes        int64     // on disk, what it shares with others included
	CreatedAt    time.Time // as its maker says
	Architecture string    // as GOARCH
}

// Progress is how far long work is. Total 0: it can't be said.
type Progress struct {
	Step        string // in the engine's own words, one line
	Done, Total int64  // of steps, not of bytes
}

// Recipe is what an image is built from.
type Recipe struct {
	Reference  string    // what it will be called
	Dockerfile string    // its text
	Context    io.Reader // a tar of the files that it may copy; nil: none
}

// ImageSpace is what images take on disk.
type ImageSpace struct {
	Bytes     int64 // all of them, what they share counted once
	FreeBytes int64 // of the file system that they lie on
}

// Images is the store of images of one node. Progress is called by the goroutine that called the method. An image is named by
// its id or by one of its references; one that is not there is ErrNoImage. gputest.Images is the one for tests.
type Images interface {
	// List returns every image that has a reference.
	List(ctx context.Context) ([]Image, error)
	// Pull fetches an image from its registry; a reference with a digest gets exactly that.
	Pull(ctx context.Context, reference string, progress func(Progress)) (Image, error)
	// Build makes one. What it runs has limits and a network of its own and sees none of the node's files; its root is the node's.
	Build(ctx context.Context, r Recipe, progress func(Progress)) (Image, error)
	// Commit makes one of the files of a living instance as they are now, its home and its volumes excluded.
	Commit(ctx context.Context, instanceID, reference string) (Image, error)
	// Remove takes a name away from an image and, with its last name, the image. That it is not there is no error.
	Remove(ctx context.Context, reference string) error
	// Contents looks into an image for what it contains. The image's own programs are not run.
	Contents(ctx context.Context, name string) (Contents, error)
	Space(ctx context.Context) (ImageSpace, error)
}

// Contents is what an image was found to contain, each as the version says that its files give; "" where none was found.
type Contents struct {
	OS           string   `json:"os"` // "Ubuntu 24.04.1 LTS"
	CUDA         string   `json:"cuda"`
	CuDNN        string   `json:"cudnn"`
	NCCL         string   `json:"nccl"`
	Python       string   `json:"python"`
	PyTorch      string   `json:"pytorch"`      // without what follows "+"
	PyTorchCUDA  string   `json:"pytorch_cuda"` // the CUDA that it was built for, which it brings along
	TensorFlow   string   `json:"tensorflow"`
	JAX          string   `json:"jax"`
	Capabilities []string `json:"capabilities"` // compute capabilities that the image says it was built for, "8.0"
	Incomplete   bool     `json:"incomplete"`   // there was more to look at than was looked at: what is "" may be there
}
