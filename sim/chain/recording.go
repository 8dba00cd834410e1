package chain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"astrolabe/starknet"
)

// Recording is a chain in a file: a line that describes it, then a record for
// each block (see record.go). A block whose number is not above the one before
// it replaces the blocks from that number on. It implements Archive.
type Recording struct {
	About About

	file *os.File
	mu   sync.Mutex
	end  int64
	// places are the offsets of the blocks by number.
	places []int64
	// read is the offset of the next record for Next.
	read int64
}

// About is the first line of a recording: the inputs that determine its blocks.
type About struct {
	Format  string `json:"format"`
	Chain   string `json:"chain"`
	Seed    uint64 `json:"seed"`
	Genesis uint64 `json:"genesis"`
	Spacing uint64 `json:"spacing"`
	// Script identifies the script that generated the blocks.
	Script string `json:"script"`
	// Classes is a hash of the classes that the script uses.
	Classes starknet.Felt `json:"classes"`
}

// maxAbout is the maximum length of the first line.
const maxAbout = 1024

// Entry is a block of an archive, with what is needed to resume from it.
type Entry struct {
	*Block
	// Pooled is how many of its first transactions came from clients.
	Pooled uint64
	// Gained is the change of the script's memory, as Script.Gained encoded it.
	Gained []byte
}

// Foreign is a class that a client declared.
type Foreign struct {
	Hash  starknet.Felt  `json:"class_hash"`
	Class starknet.Class `json:"contract_class"`
}

const recordingFormat = "astrolabe simulated chain 3"

// ErrNotARecording reports a damaged file or a file of another kind.
var ErrNotARecording = errors.New("not a recording of a simulated chain")

// CreateRecording creates a new file. An existing file is an error and is not
// changed. The file appears with its first line, or not at all.
func CreateRecording(path string, about About) (*Recording, error) {
	about.Format = recordingFormat
	first, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	switch _, err := os.Lstat(path); {
	case err == nil:
		return nil, fmt.Errorf("%s: %w", path, os.ErrExist)
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	file, err := os.OpenFile(path+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	n, err := file.Write(append(first, '\n'))
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Recording{About: about, file: file, read: int64(n), end: int64(n)}, nil
}

// OpenRecording opens a file for reading. It returns ErrNotARecording for a
// file of another kind.
func OpenRecording(path string) (*Recording, error) { return openRecording(path, os.O_RDONLY) }

// ContinueRecording opens a file for reading and writing. Unless check rejects
// it, it removes the incomplete end that OpenRecording would skip.
func ContinueRecording(path string, check func(About) error) (*Recording, error) {
	r, err := openRecording(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err = check(r.About); err == nil {
		err = r.file.Truncate(r.end)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func openRecording(path string, flag int) (*Recording, error) {
	file, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	r := &Recording{file: file}
	if err := r.survey(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return r, nil
}

// survey reads the first line and finds the recording's end: after the last
// record that was written completely and left the chain no shorter than it was
// before. What follows is a block or a reorg that a killed process did not
// finish and no client has seen.
func (r *Recording) survey() error {
	head := make([]byte, maxAbout)
	n, err := r.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	line, _, found := bytes.Cut(head[:n], []byte{'\n'})
	if !found || json.Unmarshal(line, &r.About) != nil || r.About.Format != recordingFormat {
		return ErrNotARecording
	}
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	r.read = int64(len(line)) + 1
	r.end = r.read
	for at, top := r.read, uint64(0); at+headSize <= info.Size(); {
		h, err := r.headAt(at)
		if err != nil {
			return err
		}
		at += headSize + int64(h.size)
		if at <= info.Size() && h.number >= top {
			top, r.end = h.number, at
		}
	}
	return nil
}

// Close closes the file.
func (r *Recording) Close() error { return r.file.Close() }

// Append implements Archive.
func (r *Recording) Append(e Entry) error {
	record, err := packRecord(e)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.WriteAt(record, r.end); err != nil {
		return err
	}
	r.place(e.Header.BlockNumber, r.end)
	r.end += int64(len(record))
	return nil
}

// place records the offset of a block, and drops the blocks from its number on.
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
	offset := r.places[number]
	r.mu.Unlock()
	e, _, err := r.entryAt(offset)
	return e.Block, err
}

// Next reads the block after the last one that Next returned, or returns
// io.EOF.
func (r *Recording) Next() (Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.read >= r.end {
		return Entry{}, io.EOF
	}
	e, size, err := r.entryAt(r.read)
	if err != nil {
		return Entry{}, err
	}
	r.place(e.Header.BlockNumber, r.read)
	r.read += size
	return e, nil
}
