package repo

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
)

// appendNumeric appends Postgres' binary form of 32 big-endian bytes.
func appendNumeric(b []byte, v *[32]byte) []byte {
	b, err := pgtype.NewMap().Encode(pgtype.NumericOID, pgtype.BinaryFormatCode, pgtype.Numeric{Int: new(big.Int).SetBytes(v[:]), Valid: true}, b)
	if err != nil {
		panic(err)
	}
	return b
}

func TestANumberIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	one := big.NewInt(1)
	for _, n := range []*big.Int{
		new(big.Int), one, big.NewInt(9_999), big.NewInt(10_000), big.NewInt(100_000_000), big.NewInt(123_456_789_000_000),
		new(big.Int).Lsh(one, 128), new(big.Int).Sub(new(big.Int).Lsh(one, 256), one),
	} {
		var number [32]byte
		n.FillBytes(number[:])
		if got, ok := parseNumeric(appendNumeric(nil, &number)); !ok || got != number {
			t.Errorf("%s became %x, %v", n, got, ok)
		}
	}
}

func TestANumberThatIsNoUnsignedIntegerOf256BitsIsRefused(t *testing.T) {
	t.Parallel()
	for name, words := range map[string][]uint16{
		"cut off":     {1, 0, 0},
		"negative":    {1, 0, 0x4000, 0, 5},
		"a fraction":  {2, 0, 0, 4, 1, 5000},
		"not all":     {2, 1, 0, 0, 5},
		"not a value": {0, 0, 0xC000, 0},
		"2^256":       {1, 19, 0, 0, 9999},
		"far too big": {1, 1000, 0, 0, 1},
	} {
		var b []byte
		for _, w := range words {
			b = binary.BigEndian.AppendUint16(b, w)
		}
		if got, ok := parseNumeric(b); ok {
			t.Errorf("%s is %x", name, got)
		}
	}
}

func FuzzParseNumeric(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 0, 0, 0, 0, 0, 5})
	f.Add(appendNumeric(nil, &[32]byte{31: 1, 3: 9}))
	f.Fuzz(func(t *testing.T, b []byte) {
		number, ok := parseNumeric(b)
		if !ok {
			return
		}
		again, ok := parseNumeric(appendNumeric(nil, &number))
		if !ok || !bytes.Equal(again[:], number[:]) {
			t.Errorf("%x became %x", number, again)
		}
	})
}
