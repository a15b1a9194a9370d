package process

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"
)

func TestFramesArriveAsTheyWereSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var wire bytes.Buffer
		out := &frameWriter{w: &wire}
		var sent []frame
		for range rapid.IntRange(0, 5).Draw(t, "frames") {
			f := frame{
				kind:    rapid.SampledFrom([]byte("QIEWROXD")).Draw(t, "kind"),
				payload: rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "payload"),
			}
			if err := out.send(f.kind, f.payload); err != nil {
				t.Fatal(err)
			}
			sent = append(sent, f)
		}
		whole := wire.Len()
		cut := rapid.IntRange(0, whole).Draw(t, "cut")
		r := bytes.NewReader(wire.Bytes()[:cut])
		for i := 0; ; i++ {
			f, err := readFrame(r)
			if err != nil {
				if clean := errors.Is(err, io.EOF); cut == whole && (!clean || i != len(sent)) || !clean && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("after %d of %d frames: %v", i, len(sent), err)
				}
				return
			}
			if f.kind != sent[i].kind || !bytes.Equal(f.payload, sent[i].payload) {
				t.Fatalf("frame %d: %v, sent %v", i, f, sent[i])
			}
		}
	})
}

func TestAStreamOfAnyLengthIsCutIntoFrames(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), 20000)
	var wire bytes.Buffer
	if n, err := (stream{&frameWriter{w: &wire}, frameOutput}).Write(text); n != len(text) || err != nil {
		t.Fatal(n, err)
	}
	var got []byte
	for {
		f, err := readFrame(&wire)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f.payload...)
	}
	if !bytes.Equal(got, text) {
		t.Errorf("%d of %d bytes", len(got), len(text))
	}
}

func TestABrokenFrameIsRefused(t *testing.T) {
	long := binary.BigEndian.AppendUint32([]byte{frameInput}, maxFrame+1)
	for name, b := range map[string][]byte{"unknown kind": []byte("?\x00\x00\x00\x00"), "too long": long, "longest": binary.BigEndian.AppendUint32([]byte{frameInput}, 1<<32-1)} {
		if f, err := readFrame(bytes.NewReader(b)); !errors.Is(err, errFrame) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	if err := (&frameWriter{w: io.Discard}).send(frameInput, make([]byte, maxFrame+1)); !errors.Is(err, errFrame) {
		t.Errorf("sending too much: %v", err)
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("Q\x00\x00\x00\x02{}I\x00\x00\x00\x01a"))
	f.Add([]byte("W\x00\x00\x00\x04\x00\x50\x00\x18"))
	f.Add([]byte("O\xff\xff\xff\xff"))
	f.Add([]byte("D\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		var again bytes.Buffer
		out := &frameWriter{w: &again}
		for {
			fr, err := readFrame(r)
			if err != nil {
				break
			}
			if len(fr.payload) > maxFrame {
				t.Fatalf("a payload of %d bytes", len(fr.payload))
			}
			if err := out.send(fr.kind, fr.payload); err != nil {
				t.Fatal(err)
			}
			if fr.kind == frameResize {
				_, _, _ = parseResize(fr.payload)
			}
		}
		if !bytes.HasPrefix(b, again.Bytes()) {
			t.Fatalf("what was read is not what was there: %q of %q", again.Bytes(), b)
		}
	})
}
