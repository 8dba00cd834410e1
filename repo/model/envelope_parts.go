package model

import (
	"encoding/binary"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// packer appends the parts of an envelope and sets their flags.
type packer struct {
	b     []byte
	flags int // the place of the flags
}

func (p *packer) felt(f starknet.Felt) {
	n := (f.BitLen() + 7) / 8
	p.b = append(append(p.b, byte(n)), f[len(f)-n:]...)
}

func (p *packer) list(felts []starknet.Felt) {
	p.b = binary.AppendUvarint(p.b, uint64(len(felts)))
	for i := range felts {
		p.felt(felts[i])
	}
}

func (p *packer) feltIf(flag byte, f *starknet.Felt) {
	if f != nil {
		p.b[p.flags] |= flag
		p.felt(*f)
	}
}

func (p *packer) listIf(flag byte, felts []starknet.Felt) {
	if len(felts) > 0 {
		p.b[p.flags] |= flag
		p.list(felts)
	}
}

func (p *packer) terms(t *facts.FeeTerms) {
	for _, bound := range [...]starknet.ResourceBound{t.Bounds.L1Gas, t.Bounds.L1DataGas, t.Bounds.L2Gas} {
		p.felt(starknet.FeltFromUint64(uint64(bound.MaxAmount)))
		p.felt(bound.MaxPricePerUnit.Felt())
	}
	p.felt(starknet.FeltFromUint64(t.Tip))
	p.b = append(p.b, byte(t.NonceMode)<<1|byte(t.FeeMode))
}

// unpacker reads the parts of a packed envelope. Scan reports what it reads
// wrongly, because it does not pack to the same bytes.
type unpacker struct {
	rest   []byte
	flags  byte
	failed bool
}

func (u *unpacker) take(n int) []byte {
	if n > len(u.rest) {
		u.failed = true
		return nil
	}
	taken := u.rest[:n]
	u.rest = u.rest[n:]
	return taken
}

func (u *unpacker) byte() byte {
	if b := u.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (u *unpacker) felt() (f starknet.Felt) {
	digits := u.take(int(u.byte()))
	if len(digits) > len(f) {
		u.failed = true
		return f
	}
	copy(f[len(f)-len(digits):], digits)
	f, err := starknet.FeltFromBytes(f[:])
	u.failed = u.failed || err != nil
	return f
}

func (u *unpacker) list() []starknet.Felt {
	count, n := binary.Uvarint(u.rest)
	if n <= 0 || count > uint64(len(u.rest)-n) { // a felt takes a byte at least
		u.failed = true
		return nil
	}
	u.take(n)
	if count == 0 {
		return nil
	}
	felts := make([]starknet.Felt, count)
	for i := range felts {
		felts[i] = u.felt()
	}
	return felts
}

func (u *unpacker) feltIf(flag byte) *starknet.Felt {
	if u.flags&flag == 0 {
		return nil
	}
	return new(u.felt())
}

func (u *unpacker) listIf(flag byte) []starknet.Felt {
	if u.flags&flag == 0 {
		return nil
	}
	return u.list()
}

func (u *unpacker) termsIf(flag byte) *facts.FeeTerms {
	if u.flags&flag == 0 {
		return nil
	}
	t := &facts.FeeTerms{}
	for _, bound := range [...]*starknet.ResourceBound{&t.Bounds.L1Gas, &t.Bounds.L1DataGas, &t.Bounds.L2Gas} {
		bound.MaxAmount = starknet.HexUint64(u.uint64())
		price, err := starknet.Uint128FromFelt(u.felt())
		bound.MaxPricePerUnit, u.failed = price, u.failed || err != nil
	}
	t.Tip = u.uint64()
	modes := u.byte()
	t.NonceMode, t.FeeMode = starknet.DataAvailability(modes>>1), starknet.DataAvailability(modes&1)
	u.failed = u.failed || modes > 3
	return t
}

func (u *unpacker) uint64() uint64 {
	n, ok := u.felt().Uint64()
	u.failed = u.failed || !ok
	return n
}
