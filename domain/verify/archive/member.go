package archive

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// member reads the content of the one gzip member of an archive. Its Read
// returns io.EOF only after the checksum, the length and the end of the archive
// were checked.
//
// The standard library's gzip reader accepts flags, times and further members,
// so the frame is read here and only the deflate stream by the library.
type member struct {
	input    *input
	buffered *bufio.Reader
	inflate  io.Reader
	sum      uint32
	size     int64
	err      error // of an earlier Read
}

func newMember(r io.Reader) (*member, error) {
	m := &member{input: &input{r: r}}
	m.buffered = bufio.NewReaderSize(m.input, 32<<10)
	var header [10]byte
	if _, err := io.ReadFull(m.buffered, header[:]); err != nil {
		return nil, m.failure(err, "the gzip header")
	}
	switch {
	case header[0] != 0x1f || header[1] != 0x8b:
		return nil, rejectf("The archive is not gzip: it must begin with the bytes 1f 8b. Create it with \"astrolabe verify pack\".")
	case header[2] != 8:
		return nil, rejectf("The gzip header names compression method %d; only 8 (deflate) is allowed.", header[2])
	case header[3] != 0:
		return nil, rejectf("The gzip header has the flags %#02x; none are allowed. Compress without a file name, comment or extra field (gzip -n).", header[3])
	case binary.LittleEndian.Uint32(header[4:]) != 0:
		return nil, rejectf("The gzip header holds a modification time; it must be 0. Compress without it (gzip -n).")
	}
	m.inflate = flate.NewReader(m.buffered)
	return m, nil
}

// Read reads expanded bytes. It fails at the limit of expansion, whatever the
// headers of the tree say.
func (m *member) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.inflate.Read(p)
	m.size += int64(n)
	m.sum = crc32.Update(m.sum, crc32.IEEETable, p[:n])
	switch {
	case m.size > MaxExpanded:
		m.err = errExpanded()
	case errors.Is(err, io.EOF):
		m.err = m.end()
	case err != nil:
		m.err = m.failure(err, "the compressed data")
	}
	if m.err != nil && !errors.Is(m.err, io.EOF) {
		return 0, m.err
	}
	return n, m.err
}

// end checks what follows the deflate stream. It returns io.EOF if all is well.
func (m *member) end() error {
	var trailer [8]byte
	if _, err := io.ReadFull(m.buffered, trailer[:]); err != nil {
		return m.failure(err, "the gzip trailer")
	}
	if binary.LittleEndian.Uint32(trailer[:]) != m.sum {
		return rejectf("The gzip checksum does not match the content: the archive is damaged. Upload it again.")
	}
	if binary.LittleEndian.Uint32(trailer[4:]) != uint32(m.size) {
		return rejectf("The gzip trailer gives another length than the content has: the archive is damaged. Upload it again.")
	}
	next, err := m.buffered.Peek(2)
	switch {
	case len(next) == 2 && next[0] == 0x1f && next[1] == 0x8b:
		return rejectf("The archive has a second gzip member; exactly one is allowed.")
	case len(next) > 0:
		return rejectf("The archive has data after the gzip member; nothing may follow it.")
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	return m.failure(err, "the end of the archive")
}

// failure tells a malformed archive from one that could not be read.
func (m *member) failure(err error, place string) error {
	if rejected, ok := errors.AsType[*Error](err); ok {
		return rejected
	}
	if m.input.err != nil {
		return fmt.Errorf("read the archive: %w", m.input.err)
	}
	if _, corrupt := errors.AsType[flate.CorruptInputError](err); corrupt {
		return rejectf("The compressed data is damaged near byte %d. Upload the archive again.", m.input.count)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return rejectf("The archive ends within %s: it is incomplete.", place)
	}
	return fmt.Errorf("read the archive: %w", err)
}

// input counts and bounds the compressed bytes, and remembers why they could
// not be read.
type input struct {
	r     io.Reader
	count int64
	err   error
}

// Read reads compressed bytes, at most one more than the limit.
func (i *input) Read(p []byte) (int, error) {
	if i.count > MaxCompressed {
		return 0, errCompressed()
	}
	n, err := i.r.Read(p[:min(int64(len(p)), MaxCompressed+1-i.count)])
	i.count += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		i.err = err
	}
	if i.count > MaxCompressed {
		return 0, errCompressed()
	}
	return n, err
}
