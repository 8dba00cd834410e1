package repo

import (
	"encoding/binary"
	"math/bits"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// fields are the values of one row in Postgres' binary format, read one after
// another: what copyRows writes. A value of another form than asked for makes
// the row bad.
type fields struct {
	raw  [][]byte
	next int
	bad  bool
}

// binaryResults asks for rows in that format, which takes a mode that describes
// a statement before it runs.
var binaryResults = pgx.QueryResultFormats{pgx.BinaryFormatCode}

// collectFields copies a row out of the connection's memory.
func collectFields(row pgx.CollectableRow) (fields, error) {
	values := row.RawValues()
	size := 0
	for _, v := range values {
		size += len(v)
	}
	memory, raw := make([]byte, 0, size), make([][]byte, len(values))
	for i, v := range values {
		if v == nil {
			continue
		}
		start := len(memory)
		memory = append(memory, v...)
		raw[i] = memory[start:len(memory):len(memory)]
	}
	return fields{raw: raw}, nil
}

func (f *fields) bytes() []byte {
	v := f.raw[f.next]
	f.next++
	return v
}

func (f *fields) skip() { f.next++ }

// fixed returns the next value if it has n bytes, else zeros.
func (f *fields) fixed(n int) []byte {
	v := f.bytes()
	if len(v) != n {
		f.bad = true
		return make([]byte, n)
	}
	return v
}

func (f *fields) int2() int   { return int(int16(binary.BigEndian.Uint16(f.fixed(2)))) }
func (f *fields) int4() int32 { return int32(binary.BigEndian.Uint32(f.fixed(4))) }
func (f *fields) int8() int64 { return int64(binary.BigEndian.Uint64(f.fixed(8))) }
func (f *fields) bool() bool  { return f.fixed(1)[0] != 0 }

func (f *fields) felt() starknet.Felt {
	v, err := starknet.FeltFromBytes(f.fixed(32))
	f.bad = f.bad || err != nil
	return v
}

func (f *fields) feltOrNil() *starknet.Felt {
	if f.raw[f.next] == nil {
		f.next++
		return nil
	}
	return new(f.felt())
}

// felts reads a list of felts; an empty one is nil. room is kept free before
// the first.
func (f *fields) felts(room int) []starknet.Felt {
	v := f.bytes()
	if len(v)%32 != 0 {
		f.bad = true
		return nil
	}
	if len(v) == 0 && room == 0 {
		return nil
	}
	list := make([]starknet.Felt, room, room+len(v)/32)
	for ; len(v) > 0; v = v[32:] {
		felt, err := starknet.FeltFromBytes(v[:32])
		f.bad = f.bad || err != nil
		list = append(list, felt)
	}
	return list
}

// number reads a numeric as 32 big-endian bytes, or nil for null.
func (f *fields) number() *[32]byte {
	v := f.bytes()
	if v == nil {
		return nil
	}
	number, ok := parseNumeric(v)
	f.bad = f.bad || !ok
	return &number
}

// numberFelt reads a numeric that is a felt, or nil for null.
func (f *fields) numberFelt() *starknet.Felt {
	number := f.number()
	if number == nil {
		return nil
	}
	felt, err := starknet.FeltFromBytes(number[:])
	f.bad = f.bad || err != nil
	return &felt
}

// parseNumeric reverses appendNumeric. It is false for what is negative, not
// an integer or longer than 256 bits.
func parseNumeric(b []byte) (number [32]byte, ok bool) {
	if len(b) < 8 || len(b)%2 != 0 {
		return number, false
	}
	count, weight := int(binary.BigEndian.Uint16(b)), int(int16(binary.BigEndian.Uint16(b[2:])))
	sign, digits := binary.BigEndian.Uint16(b[4:]), b[8:]
	if sign != 0 || len(digits) != 2*count || count > 0 && weight < count-1 || weight > 19 {
		return number, false
	}
	var limbs [4]uint64 // the most significant first
	for i := range weight + 1 {
		digit := uint64(0)
		if i < count {
			digit = uint64(binary.BigEndian.Uint16(digits[2*i:]))
		}
		if !multiply(&limbs, 10_000, digit) {
			return number, false
		}
	}
	for i, limb := range limbs {
		binary.BigEndian.PutUint64(number[8*i:], limb)
	}
	return number, true
}

// multiply multiplies a 256-bit number in place, adds to it and reports
// whether the result fits.
func multiply(limbs *[4]uint64, by, add uint64) bool {
	for i := len(limbs) - 1; i >= 0; i-- {
		high, low := bits.Mul64(limbs[i], by)
		sum, carry := bits.Add64(low, add, 0)
		limbs[i], add = sum, high+carry
	}
	return add == 0
}

// textOrNil reads a text that may be null.
func (f *fields) textOrNil() *string {
	v := f.bytes()
	if v == nil {
		return nil
	}
	return new(string(v))
}

// byteOrNil reads a number of at most 255 that may be null.
func (f *fields) byteOrNil() *uint8 {
	if f.raw[f.next] == nil {
		f.next++
		return nil
	}
	v := f.int2()
	f.bad = f.bad || v < 0 || v > 255
	return new(uint8(v))
}

// blockOrNil reads a block's number that may be null.
func (f *fields) blockOrNil() *uint64 {
	if f.raw[f.next] == nil {
		f.next++
		return nil
	}
	return new(uint64(f.int4()))
}

// postgresEpoch is the moment that Postgres counts microseconds from.
var postgresEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// timeOrNil reads a moment that may be null.
func (f *fields) timeOrNil() *time.Time {
	if f.raw[f.next] == nil {
		f.next++
		return nil
	}
	return new(postgresEpoch.Add(time.Duration(f.int8()) * time.Microsecond))
}

// damage is the error of a row of a table in which something was bad.
func (f *fields) damage(table facts.Table) error {
	if !f.bad {
		return nil
	}
	return &indexing.DamageError{Table: table, What: "a value is malformed or missing"}
}

// oneOf reads a word that is stored as its place in a list.
func oneOf[T any](f *fields, list []T) (word T) {
	i := f.int2()
	if i < 0 || i >= len(list) {
		f.bad = true
		return word
	}
	return list[i]
}

func storedHeader(f *fields) facts.Header {
	h := facts.Header{Number: uint64(f.int4())}
	f.skip()
	h.L1DAMode = oneOf(f, l1DAModes)
	h.Timestamp = uint64(f.int8())
	h.Transactions, h.Events = int(f.int4()), int(f.int4())
	h.Hash, h.ParentHash, h.StateRoot, h.Sequencer = f.felt(), f.felt(), f.felt(), f.felt()
	prices := f.felts(0)
	if len(prices) != 6 {
		f.bad = true
		return h
	}
	h.L1Gas = starknet.ResourcePrice{PriceInWei: prices[0], PriceInFri: prices[1]}
	h.L1DataGas = starknet.ResourcePrice{PriceInWei: prices[2], PriceInFri: prices[3]}
	h.L2Gas = starknet.ResourcePrice{PriceInWei: prices[4], PriceInFri: prices[5]}
	h.Version = string(f.bytes())
	return h
}
