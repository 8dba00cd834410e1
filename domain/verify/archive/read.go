package archive

import (
	"errors"
	"io"
)

// File is an entry of an archive that passed every rule.
type File struct {
	// Path is relative to the root, with slashes, and without one at the end.
	Path string
	// Dir is whether the entry is a directory.
	Dir bool
	// Executable is whether a file has the mode 0755.
	Executable bool
	// Size is the length of a file in bytes, and 0 for a directory.
	Size int64
	// Content holds Size bytes. It is valid only during the call that passes it,
	// and need not be read.
	Content io.Reader
}

// Read checks an archive while it streams, and calls each with every entry in
// order: sorted bytewise by path, directories before what they hold. It holds one
// block of content and the paths in memory.
//
// The archive is accepted only when Read returns nil: its checksum stands at
// its end, so whatever each did before must not count until then.
//
// A broken rule is an *Error. An error of r or of each is returned unchanged or
// wrapped.
func Read(r io.Reader, each func(f File) error) error {
	member, err := newMember(r)
	if err != nil {
		return err
	}
	tree := newTree()
	for {
		h, err := readHeader(member)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := tree.add(h); err != nil {
			return err
		}
		if member.size+h.size > MaxExpanded {
			return errExpanded()
		}
		if err := readContent(member, h, each); err != nil {
			return err
		}
	}
}

// readHeader reads the next header. It returns io.EOF after the two zero blocks
// at the end of a whole archive.
func readHeader(m *member) (header, error) {
	var b block
	if err := readBlock(m, &b, "a tar header, or without two zero blocks at the end"); err != nil {
		return header{}, err
	}
	if !zero(b[:]) {
		return b.parse()
	}
	if err := readBlock(m, &b, "its two zero blocks"); err != nil {
		return header{}, err
	}
	if !zero(b[:]) {
		return header{}, rejectf("A single zero block occurs before the end of the tar stream; the stream must end with exactly two.")
	}
	var next [1]byte
	_, err := io.ReadFull(m, next[:])
	if err == nil {
		return header{}, rejectf("The tar stream has data after the two zero blocks that end it; write no further padding (tar --blocking-factor=1).")
	}
	return header{}, err
}

// readBlock fills a block. The stream must not end before it is full.
func readBlock(m *member, b *block, place string) error {
	_, err := io.ReadFull(m, b[:])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return rejectf("The tar stream ends within %s: it is incomplete.", place)
	}
	return err
}

// readContent checks the first block of a file, passes the entry on, and checks
// what the callback left and the padding.
func readContent(m *member, h header, each func(f File) error) error {
	body := &body{member: m, path: h.path, left: h.size}
	defer func() { body.closed = true }()
	head := make([]byte, min(h.size, blockSize))
	if _, err := io.ReadFull(body, head); err != nil {
		return err
	}
	if format := nestedFormat(head); format != "" {
		return errNested(h.path, format)
	}
	body.head, body.left = head, h.size
	err := each(File{Path: h.path, Dir: h.directory, Executable: !h.directory && h.executable, Size: h.size, Content: body})
	if body.err != nil {
		return body.err
	}
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return err
	}
	padding := make([]byte, -h.size&(blockSize-1))
	_, err = io.ReadFull(m, padding)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return rejectf("The tar stream ends within the padding of %q: it is incomplete.", h.path)
	}
	if err == nil && !zero(padding) {
		return rejectf("The padding after %q is not zero.", h.path)
	}
	return err
}

// body is the content of one file.
type body struct {
	member *member
	path   string
	head   []byte // read from the member, but not from the body
	left   int64  // with head
	err    error
	closed bool
}

// Read reads content. A stream that ends before the file does is an error.
func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.closed:
		return 0, errors.New("the content of a file was read after its callback returned")
	case b.err != nil:
		return 0, b.err
	case b.left == 0:
		return 0, io.EOF
	case len(b.head) > 0:
		n := copy(p, b.head)
		b.head, b.left = b.head[n:], b.left-int64(n)
		return n, nil
	}
	n, err := b.member.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	switch {
	case errors.Is(err, io.EOF) && b.left > 0:
		b.err = rejectf("The tar stream ends within the content of %q: it is incomplete.", b.path)
	case err != nil && !errors.Is(err, io.EOF):
		b.err = err
	}
	return n, b.err
}
