package chain

import (
	"encoding/binary"
	"fmt"
	"math"

	"astrolabe/starknet"
)

// A recorded block is a table of felts and a body. The body is a sequence of
// varints and texts; a felt is one varint: even for a small number itself, odd
// for an index in the table, because the same addresses and selectors occur
// often.

// packer writes a block.
type packer struct {
	body   []byte
	table  []byte
	places map[starknet.Felt]uint64
}

func newPacker() *packer { return &packer{places: map[starknet.Felt]uint64{}} }

// bytes returns the length of the table, the table and the body.
func (p *packer) bytes() []byte {
	out := binary.AppendUvarint(make([]byte, 0, 10+len(p.table)+len(p.body)), uint64(len(p.table)/32))
	return append(append(out, p.table...), p.body...)
}

func (p *packer) number(v uint64) { p.body = binary.AppendUvarint(p.body, v) }

func (p *packer) text(s string) {
	p.number(uint64(len(s)))
	p.body = append(p.body, s...)
}

func (p *packer) felt(f starknet.Felt) {
	if small, ok := f.Uint64(); ok && small <= math.MaxUint64>>1 {
		p.number(small << 1)
		return
	}
	place, known := p.places[f]
	if !known {
		place = uint64(len(p.places))
		p.places[f] = place
		p.table = append(p.table, f[:]...)
	}
	p.number(place<<1 | 1)
}

func (p *packer) felts(list []starknet.Felt) {
	p.number(uint64(len(list)))
	for i := range list {
		p.felt(list[i])
	}
}

// unpacker reads a block. It keeps the first error as err, and everything after
// it reads as zero.
type unpacker struct {
	body  []byte
	table []byte
	err   error
}

func newUnpacker(text []byte) *unpacker {
	u := &unpacker{body: text}
	n := u.number()
	if n > uint64(len(u.body))/32 {
		u.fail("table")
		return u
	}
	u.table, u.body = u.body[:32*n], u.body[32*n:]
	return u
}

func (u *unpacker) fail(what string) {
	if u.err == nil {
		u.err = fmt.Errorf("%w: %s", ErrNotARecording, what)
	}
	u.body = nil
}

func (u *unpacker) number() uint64 {
	v, n := binary.Uvarint(u.body)
	if n <= 0 {
		u.fail("number")
		return 0
	}
	u.body = u.body[n:]
	return v
}

// count reads the length of a list, each of whose items takes at least one byte.
func (u *unpacker) count() int {
	n := u.number()
	if n > uint64(len(u.body)) {
		u.fail("length")
		return 0
	}
	return int(n)
}

func (u *unpacker) text() string {
	n := u.count()
	s := string(u.body[:n])
	u.body = u.body[n:]
	return s
}

func (u *unpacker) felt() starknet.Felt {
	v := u.number()
	if v&1 == 0 {
		return starknet.FeltFromUint64(v >> 1)
	}
	if v>>1 >= uint64(len(u.table))/32 {
		u.fail("place of a felt")
		return starknet.Felt{}
	}
	at := v >> 1 * 32
	f, err := starknet.FeltFromBytes(u.table[at : at+32])
	if err != nil {
		u.fail("felt")
	}
	return f
}

func (u *unpacker) felts() []starknet.Felt { return readList(u, (*unpacker).felt) }

// readList reads a list of anything.
func readList[T any](u *unpacker, read func(u *unpacker) T) []T {
	n := u.count()
	items := make([]T, 0, min(n, 1024)) // a length alone allocates little
	for ; n > 0 && u.err == nil; n-- {
		items = append(items, read(u))
	}
	return items
}

// packList writes a list of anything.
func packList[T any](p *packer, items []T, pack func(p *packer, item *T)) {
	p.number(uint64(len(items)))
	for i := range items {
		pack(p, &items[i])
	}
}
