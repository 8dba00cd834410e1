package abi

import (
	"fmt"
	"math/big"

	"astrolabe/starknet"
)

// reader consumes felts by type. Its budget grows with the payload, so that
// types with many empty members cannot cause more work than the payload
// justifies.
type reader struct {
	felts  []starknet.Felt
	next   int
	budget int
}

func newReader(felts []starknet.Felt, start int) reader {
	return reader{felts: felts, next: start, budget: 4096 + 64*len(felts)}
}

func (r *reader) remaining() int { return len(r.felts) - r.next }

func (r *reader) take(n int) ([]starknet.Felt, error) {
	if n > r.remaining() {
		return nil, fmt.Errorf("%w: %d felts are missing", ErrPayloadMismatch, n-r.remaining())
	}
	taken := r.felts[r.next : r.next+n : r.next+n]
	r.next += n
	return taken, nil
}

func (r *reader) spend(n int) error {
	if r.budget -= n; r.budget < 0 {
		return fmt.Errorf("%w: the type has too many members", ErrPayloadMismatch)
	}
	return nil
}

// value reads one value of type t into v.
func (r *reader) value(t *Type, v *Value) error {
	if err := r.spend(1); err != nil {
		return err
	}
	start := r.next
	v.Type = t
	if err := r.content(t, v); err != nil {
		return err
	}
	v.Raw = r.felts[start:r.next:r.next]
	return nil
}

func (r *reader) content(t *Type, v *Value) error {
	switch t.Shape {
	case ShapeUnit:
		return nil
	case ShapeU256:
		return r.u256()
	case ShapeByteArray:
		_, used, err := starknet.DecodeByteArray(r.felts[r.next:])
		if err != nil {
			return fmt.Errorf("%w: %w", ErrPayloadMismatch, err)
		}
		r.next += used
		return nil
	case ShapeNonZero:
		return r.nonZero(t)
	case ShapeArray:
		length, err := r.take(1)
		if err != nil {
			return err
		}
		return r.counted(t.Elem, length[0], v)
	case ShapeFixedArray:
		return r.elements(t.Elem, t.Len, v)
	case ShapeTuple, ShapeStruct:
		return r.members(t, v)
	case ShapeEnum:
		return r.variant(t, v)
	}
	taken, err := r.take(1)
	if err != nil {
		return err
	}
	return checkScalar(t, taken[0])
}

func (r *reader) u256() error {
	halves, err := r.take(2)
	if err != nil {
		return err
	}
	if _, err := starknet.Uint256FromHalves(halves[0], halves[1]); err != nil {
		return fmt.Errorf("%w: %w", ErrPayloadMismatch, err)
	}
	return nil
}

func (r *reader) nonZero(t *Type) error {
	var content Value
	if err := r.value(t.Elem, &content); err != nil {
		return err
	}
	for _, f := range content.Raw {
		if !f.IsZero() {
			return nil
		}
	}
	return fmt.Errorf("%w: zero as %.80s", ErrPayloadMismatch, t.Name)
}

// counted reads as many elements as length says. It rejects a length that the
// rest of the payload cannot hold before it allocates memory; an element takes
// at least one felt.
func (r *reader) counted(elem *Type, length starknet.Felt, v *Value) error {
	n, ok := length.Count(r.remaining() / elem.minFelts)
	if !ok {
		return fmt.Errorf("%w: %s elements of %.80s in %d felts", ErrPayloadMismatch, length, elem.Name, r.remaining())
	}
	return r.elements(elem, n, v)
}

func (r *reader) elements(elem *Type, n int, v *Value) error {
	if n > r.remaining()/elem.minFelts {
		return fmt.Errorf("%w: %d elements of %.80s in %d felts", ErrPayloadMismatch, n, elem.Name, r.remaining())
	}
	if elem.isScalar() {
		taken, err := r.take(n)
		if err != nil {
			return err
		}
		for i := range taken {
			if err := checkScalar(elem, taken[i]); err != nil {
				return err
			}
		}
		return nil
	}
	v.items = make([]Value, n)
	for i := range v.items {
		if err := r.value(elem, &v.items[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) members(t *Type, v *Value) error {
	if t.minFelts > r.remaining() {
		return fmt.Errorf("%w: %.80s in %d felts", ErrPayloadMismatch, t.Name, r.remaining())
	}
	if err := r.spend(len(t.Members)); err != nil {
		return err
	}
	v.items = make([]Value, len(t.Members))
	for i := range t.Members {
		if err := r.value(t.Members[i].Type, &v.items[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) variant(t *Type, v *Value) error {
	index, err := r.take(1)
	if err != nil {
		return err
	}
	n, ok := index[0].Count(len(t.Members) - 1)
	if !ok {
		return fmt.Errorf("%w: variant %s of %.80s", ErrPayloadMismatch, index[0], t.Name)
	}
	v.Variant = n
	v.items = make([]Value, 1)
	return r.value(t.Members[n].Type, &v.items[0])
}

// checkScalar reports whether a felt is a value of a type that is one felt.
func checkScalar(t *Type, f starknet.Felt) error {
	fits := true
	switch t.Shape {
	case ShapeBool:
		fits = f.BitLen() <= 1
	case ShapeUint:
		fits = f.BitLen() <= t.Bits
	case ShapeInt:
		fits = fitsSigned(f, t.Bits)
	case ShapeContractAddress, ShapeClassHash:
		fits = f.BitLen() <= 251
	case ShapeEthAddress:
		fits = f.BitLen() <= 160
	case ShapeBytes31:
		fits = f.BitLen() <= 248
	}
	if !fits {
		return fmt.Errorf("%w: %s as %.80s", ErrPayloadMismatch, f, t.Name)
	}
	return nil
}

// fitsSigned reports whether f is a signed number of that width: below 2^(bits-1), or not
// more than 2^(bits-1) below the field prime.
func fitsSigned(f starknet.Felt, bits int) bool {
	if f.BitLen() < bits {
		return true
	}
	distance := starknet.Prime()
	distance.Sub(distance, f.Big())
	return distance.Sub(distance, big.NewInt(1)).BitLen() < bits
}
