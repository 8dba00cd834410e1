package chain

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// A record is a header and the packed block (see codec.go). The header has four
// numbers of four bytes: the block's length, its number, its checksum and the
// header's own.
const headSize = 16

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// recordHead is the header of a record.
type recordHead struct {
	size, checksum uint32
	number         uint64
}

func packRecord(e Entry) ([]byte, error) {
	packed, err := packEntry(e)
	if err != nil {
		return nil, err
	}
	record := make([]byte, 0, headSize+len(packed))
	record = binary.BigEndian.AppendUint32(record, uint32(len(packed)))
	record = binary.BigEndian.AppendUint32(record, uint32(e.Header.BlockNumber))
	record = binary.BigEndian.AppendUint32(record, crc32.Checksum(packed, castagnoli))
	record = binary.BigEndian.AppendUint32(record, crc32.Checksum(record, castagnoli))
	return append(record, packed...), nil
}

// headAt reads the header of an existing record.
func (r *Recording) headAt(offset int64) (recordHead, error) {
	var head [headSize]byte
	if _, err := r.file.ReadAt(head[:], offset); err != nil {
		return recordHead{}, err
	}
	field := func(i int) uint32 { return binary.BigEndian.Uint32(head[4*i:]) }
	if field(3) != crc32.Checksum(head[:12], castagnoli) {
		return recordHead{}, fmt.Errorf("%w: the file is damaged at byte %d", ErrNotARecording, offset)
	}
	return recordHead{size: field(0), number: uint64(field(1)), checksum: field(2)}, nil
}

// entryAt reads an existing record and returns it with its length.
func (r *Recording) entryAt(offset int64) (Entry, int64, error) {
	head, err := r.headAt(offset)
	if err != nil {
		return Entry{}, 0, err
	}
	packed := make([]byte, head.size)
	if _, err := r.file.ReadAt(packed, offset+headSize); err != nil {
		return Entry{}, 0, err
	}
	if crc32.Checksum(packed, castagnoli) != head.checksum {
		return Entry{}, 0, fmt.Errorf("%w: block %d is damaged", ErrNotARecording, head.number)
	}
	e, err := unpackEntry(packed)
	return e, headSize + int64(head.size), err
}
