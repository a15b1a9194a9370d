// Command bundle makes static/dist from static/src and static/third_party: bundled, minified, named by a hash of the
// content and packed with gzip beside it. It is a module of its own, so that the product does not depend on the bundler.
// Run it in its folder: "go run ." writes dist, "go run . -check" only says whether dist is what it would write.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail if dist is not current")
	root := flag.String("static", "../../static", "folder with src, third_party and dist")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// entries are what pages link to; all else is imported by them.
var entries = []string{"css/app.css", "css/terminal.css", "js/base.js", "js/calendar.js", "js/live.js", "js/terminal.js"}

func run(root string, check bool) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	made, err := bundle(root)
	if err != nil {
		return err
	}
	dist := filepath.Join(root, "dist")
	if check {
		return compare(dist, made)
	}
	return write(dist, made)
}

// bundle returns the content of dist by file name.
func bundle(root string) (map[string][]byte, error) {
	options := api.BuildOptions{
		Bundle: true, MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true,
		Format: api.FormatESModule, Target: api.ESNext, Charset: api.CharsetUTF8,
		Outdir: filepath.Join(root, "dist"), EntryNames: "[name]-[hash]", AssetNames: "[name]-[hash]",
		PublicPath: "/static", Loader: map[string]api.Loader{".woff2": api.LoaderFile},
		Drop:          api.DropConsole, // vendored scripts write there what is of use to their authors alone
		LegalComments: api.LegalCommentsNone, AbsWorkingDir: root,
	}
	for _, e := range entries {
		options.EntryPoints = append(options.EntryPoints, filepath.Join(root, "src", filepath.FromSlash(e)))
	}
	result := api.Build(options)
	if len(result.Errors) > 0 {
		return nil, errors.New(strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}), "\n"))
	}
	made, names := map[string][]byte{}, map[string]string{}
	for _, f := range result.OutputFiles {
		name := filepath.Base(f.Path)
		made[name] = f.Contents
		names[stable(name)] = name
		if filepath.Ext(name) == ".woff2" {
			continue // is compressed by itself
		}
		packed, err := pack(f.Contents)
		if err != nil {
			return nil, err
		}
		made[name+".gz"] = packed
	}
	if err := copyAsIs(root, made, names); err != nil {
		return nil, err
	}
	manifest, err := json.MarshalIndent(names, "", "\t")
	if err != nil {
		return nil, err
	}
	made["manifest.json"] = append(manifest, '\n')
	return made, nil
}

// copies are served as they are.
var copies = []string{"icon.svg"}

func copyAsIs(root string, made map[string][]byte, names map[string]string) error {
	for _, name := range copies {
		content, err := os.ReadFile(filepath.Join(root, "src", name))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		ext := filepath.Ext(name)
		hashed := strings.TrimSuffix(name, ext) + "-" + strings.ToUpper(hex.EncodeToString(sum[:4])) + ext
		made[hashed], names[name] = content, hashed
	}
	return nil
}

// stable takes the hash out of a name: "base-ABCDEFGH.js" is "base.js".
func stable(name string) string {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	return stem[:strings.LastIndexByte(stem, '-')] + ext
}

func pack(content []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// write puts everything in its place before it takes away what is left over, so that a build beside it finds a whole dist.
func write(dist string, made map[string][]byte) error {
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	for name, content := range made {
		if err := os.WriteFile(filepath.Join(dist, name), content, 0o644); err != nil {
			return err
		}
	}
	have, err := os.ReadDir(dist)
	if err != nil {
		return err
	}
	for _, e := range have {
		if made[e.Name()] == nil {
			if err := os.Remove(filepath.Join(dist, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare leaves the packed files out: another version of Go may pack the same content differently.
func compare(dist string, made map[string][]byte) error {
	for name, content := range made {
		if strings.HasSuffix(name, ".gz") {
			continue
		}
		have, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil || !bytes.Equal(have, content) {
			return fmt.Errorf("%s is not current: run \"make bundle\"", filepath.Join("static", "dist", name))
		}
	}
	entries, err := os.ReadDir(dist)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if made[e.Name()] == nil {
			return fmt.Errorf("static/dist/%s is left over: run \"make bundle\"", e.Name())
		}
	}
	return nil
}
