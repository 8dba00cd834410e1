package chain

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"astrolabe/starknet"
)

// Recording is a chain in a file: a line that says what it is, then for each block its
// length and its content (see codec.go). A block whose number is not above the one before it
// replaces that one and all after it. It implements Archive.
type Recording struct {
	About About

	file *os.File
	mu   sync.Mutex
	end  int64
	// places are where the blocks of the chain begin, by number.
	places []int64
	// read is how far Next has come.
	read int64
}

// About is the first line of a recording.
type About struct {
	Format string `json:"format"`
	Chain  string `json:"chain"`
	Seed   uint64 `json:"seed"`
}

// Foreign is a class that a client brought.
type Foreign struct {
	Hash  starknet.Felt  `json:"class_hash"`
	Class starknet.Class `json:"contract_class"`
}

const recordingFormat = "astrolabe simulated chain 1"

// ErrNotARecording reports a file of another kind, or a damaged one.
var ErrNotARecording = errors.New("not a recording of a simulated chain")

// CreateRecording makes a new file; an existing one is not touched but an error.
func CreateRecording(path string, about About) (*Recording, error) {
	about.Format = recordingFormat
	first, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	n, err := file.Write(append(first, '\n'))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Recording{About: about, file: file, end: int64(n)}, nil
}

// OpenRecording opens a file for reading. It returns ErrNotARecording for another kind.
func OpenRecording(path string) (*Recording, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Recording{file: file}
	head := make([]byte, 512)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, file.Close())
	}
	line, _, found := bytes.Cut(head[:n], []byte{'\n'})
	if !found || json.Unmarshal(line, &r.About) != nil || r.About.Format != recordingFormat {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrNotARecording, path), file.Close())
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r.read, r.end = int64(len(line))+1, info.Size()
	return r, nil
}

// Close closes the file.
func (r *Recording) Close() error { return r.file.Close() }

// Append implements Archive.
func (r *Recording) Append(b *Block) error {
	text, err := packBlock(b)
	if err != nil {
		return err
	}
	packed := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(text)), uint32(len(text)))
	packed = append(packed, text...)
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.WriteAt(packed, r.end); err != nil {
		return err
	}
	r.place(b.Header.BlockNumber, r.end)
	r.end += int64(len(packed))
	return nil
}

// place notes where a block begins, which takes back the blocks from it on.
func (r *Recording) place(number uint64, offset int64) {
	r.places = append(r.places[:min(number, uint64(len(r.places)))], offset)
}

// Block implements Archive.
func (r *Recording) Block(number uint64) (*Block, error) {
	r.mu.Lock()
	if number >= uint64(len(r.places)) {
		r.mu.Unlock()
		return nil, nil
	}
	offset, end := r.places[number], r.end
	r.mu.Unlock()
	b, _, err := r.blockAt(offset, end)
	return b, err
}

// Next reads the block after those that Next has read before; io.EOF means that there is
// none, also when the last one was not written completely.
func (r *Recording) Next() (*Block, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, size, err := r.blockAt(r.read, r.end)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	if err != nil {
		return nil, err
	}
	r.place(b.Header.BlockNumber, r.read)
	r.read += size
	return b, nil
}

func (r *Recording) blockAt(offset, end int64) (*Block, int64, error) {
	var length [4]byte
	if n, err := r.file.ReadAt(length[:], offset); err != nil {
		if n > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, 0, err
	}
	size := int64(binary.BigEndian.Uint32(length[:]))
	if size > end-offset-4 {
		return nil, 0, io.ErrUnexpectedEOF
	}
	packed := make([]byte, size)
	if _, err := r.file.ReadAt(packed, offset+4); err != nil {
		return nil, 0, err
	}
	b, err := unpackBlock(packed)
	return b, size + 4, err
}
