package model

import (
	"bytes"
	"database/sql/driver"

	"astrolabe/domain/facts"
)

// Envelope is the envelope of a transaction, stored as one bytea that only reads
// of whole transactions fetch. It is packed, because most of its numbers are
// small:
//
//   - a byte with a flag for each part that is present, except the signature,
//     which always is;
//   - the parts, in the order of the flags, the signature first;
//   - a felt is a byte with its length, then its bytes without leading zeros;
//   - a list is the number of its felts as a varint, then the felts;
//   - fee terms are the amount and the price of L1 gas, of L1 data gas and of L2
//     gas, the tip, and a byte with the two modes.
//
// There is one encoding for each envelope. Other bytes are malformed.
type Envelope facts.Envelope

// The parts of a packed envelope that can be absent, in their order.
const (
	hasMaxFee byte = 1 << iota
	hasTerms
	hasPaymasterData
	hasDeploymentData
	hasProofFacts
	hasCompiledClass
	hasSalt
)

// Append appends the packed envelope.
func (e *Envelope) Append(b []byte) []byte {
	p := packer{append(b, 0), len(b)}
	p.list(e.Signature)
	p.feltIf(hasMaxFee, e.MaxFee)
	if e.Terms != nil {
		p.b[p.flags] |= hasTerms
		p.terms(e.Terms)
	}
	p.listIf(hasPaymasterData, e.PaymasterData)
	p.listIf(hasDeploymentData, e.AccountDeploymentData)
	p.listIf(hasProofFacts, e.ProofFacts)
	p.feltIf(hasCompiledClass, e.CompiledClass)
	p.feltIf(hasSalt, e.Salt)
	return p.b
}

// Value implements driver.Valuer.
func (e Envelope) Value() (driver.Value, error) { return e.Append(nil), nil }

// Scan implements sql.Scanner.
func (e *Envelope) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok || len(b) == 0 {
		return &ValueError{Type: "an envelope", Value: src}
	}
	u := unpacker{rest: b[1:], flags: b[0]}
	read := Envelope{
		Signature: u.list(), MaxFee: u.feltIf(hasMaxFee), Terms: u.termsIf(hasTerms),
		PaymasterData: u.listIf(hasPaymasterData), AccountDeploymentData: u.listIf(hasDeploymentData), ProofFacts: u.listIf(hasProofFacts),
		CompiledClass: u.feltIf(hasCompiledClass), Salt: u.feltIf(hasSalt),
	}
	if u.failed || !bytes.Equal(read.Append(nil), b) {
		return &ValueError{Type: "an envelope", Value: src}
	}
	*e = read
	return nil
}
