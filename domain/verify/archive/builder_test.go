package archive_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"testing/fstest"

	"astrolabe/domain/verify/archive"
)

// An edit changes bytes of a header after its checksum was written, or before if
// it is passed to sealed.
type edit func(header []byte)

// entry returns the hand-made bytes of one tar entry: a ustar header with every
// field in its usual form, then the padded content. The checksum is right after
// all edits.
func entry(kind byte, path, mode, content string, edits ...edit) []byte {
	header := make([]byte, 512)
	copy(header, path)
	copy(header[100:], mode)
	copy(header[108:], "0000000\x00")
	copy(header[116:], "0000000\x00")
	copy(header[124:], fmt.Sprintf("%011o\x00", len(content)))
	copy(header[136:], "00000000000\x00")
	header[156] = kind
	copy(header[257:], "ustar\x0000")
	copy(header[329:], "0000000\x000000000\x00")
	for _, edit := range edits {
		edit(header)
	}
	seal(header)
	padding := make([]byte, -len(content)&511)
	return append(append(header, content...), padding...)
}

// seal writes the checksum.
func seal(header []byte) {
	copy(header[148:], "        ")
	sum := 0
	for _, b := range header {
		sum += int(b)
	}
	copy(header[148:], fmt.Sprintf("%06o\x00 ", sum))
}

func file(path, content string, edits ...edit) []byte {
	return entry('0', path, "0000644\x00", content, edits...)
}

func directory(path string, edits ...edit) []byte {
	return entry('5', path, "0000755\x00", "", edits...)
}

// at writes text at an offset of the header.
func at(offset int, text string) edit {
	return func(header []byte) { copy(header[offset:], text) }
}

// unsealed changes an entry after its checksum was written.
func unsealed(entry []byte, change edit) []byte {
	change(entry)
	return entry
}

// tree joins entries and the two zero blocks.
func tree(entries ...[]byte) []byte {
	return append(bytes.Join(entries, nil), make([]byte, 1024)...)
}

// gz compresses a tar stream by hand: header, deflate stream, checksum, length.
func gz(stream []byte, edits ...edit) []byte {
	return frame(stream, crc32.ChecksumIEEE(stream), uint32(len(stream)), edits...)
}

func frame(stream []byte, sum, size uint32, edits ...edit) []byte {
	var out bytes.Buffer
	out.WriteString("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff")
	compressor, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		panic(err)
	}
	if _, err := compressor.Write(stream); err != nil {
		panic(err)
	}
	if err := compressor.Close(); err != nil {
		panic(err)
	}
	packed := binary.LittleEndian.AppendUint32(out.Bytes(), sum)
	packed = binary.LittleEndian.AppendUint32(packed, size)
	for _, edit := range edits {
		edit(packed)
	}
	return packed
}

// files reads an archive into a tree.
func files(packed []byte) (fstest.MapFS, error) {
	tree := fstest.MapFS{}
	return tree, archive.Read(bytes.NewReader(packed), func(f archive.File) error {
		content, err := io.ReadAll(f.Content)
		if err != nil {
			return err
		}
		if int64(len(content)) != f.Size {
			return fmt.Errorf("got %d bytes of %q, want its size %d", len(content), f.Path, f.Size)
		}
		tree[f.Path] = &fstest.MapFile{Data: content, Mode: mode(f)}
		return nil
	})
}

// reporter is a test or a run of rapid.
type reporter interface {
	Helper()
	Fatal(arguments ...any)
}

// expand returns the tar stream of an archive.
func expand(t reporter, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}
