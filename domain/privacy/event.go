package privacy

import (
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// Event is an event that a pool emitted.
type Event struct {
	// Row is the event as the chain has it. Its decoding has the name of the
	// variant.
	event.Row
	Variant facts.PoolVariant
	Reading facts.PoolReading
	// The fields of the variant, as far as the event could be read; nil where
	// it has none.
	Party  *starknet.Felt
	Token  *Token
	Amount *starknet.Uint256
	Note   *starknet.Felt

	Tier chain.Tier
	Fees []Fee // that belong to this event
}

// Token is a token with its metadata.
type Token struct {
	Address  starknet.Felt
	Metadata token.Metadata
}

// PublicFields are what the public part of an event says. A nil field is not in
// the event, is hidden, or could not be read.
type PublicFields struct {
	Visibility Visibility
	Actor      *starknet.Felt // who deposited or set a viewing key
	To         *starknet.Felt // the recipient, the invoked contract or the new fee collector
	Token      *Token
	Amount     *starknet.Uint256 // that flowed, or the new fee
	NoteID     *starknet.Felt
	Nullifier  *starknet.Felt
	AuditorKey *starknet.Felt // to which the hidden part is encrypted, or which was set
}

// PublicFields returns what the public part of the event says.
func (e *Event) PublicFields() PublicFields {
	p := PublicFields{Visibility: VisibilityOf(e.Variant), Token: e.Token, Amount: e.Amount}
	switch e.Variant {
	case facts.ViewingKeySet, facts.PoolDeposit, facts.OpenNoteDeposited:
		p.Actor = e.Party
	case facts.PoolWithdrawal, facts.ExternalContractInvoked, facts.FeeCollectorSet:
		p.To = e.Party
	}
	if e.Variant == facts.NoteUsed {
		p.Nullifier = e.Note
	} else {
		p.NoteID = e.Note
	}
	switch e.Variant {
	case facts.ViewingKeySet, facts.PoolWithdrawal, facts.OpenNoteCreated, facts.AuditorPublicKeySet:
		if e.Reading == facts.PoolRead && len(e.Data) > 0 { // the first felt of each of them
			p.AuditorKey = &e.Data[0]
		}
	}
	return p
}

// named returns the decoding of an event under the name of its variant. Only an
// event that was read whole is decoded: its class, and not its selector alone,
// says so. The name of one that its class does not declare comes from the
// reviewed list of variants.
func named(d event.Decoding, v facts.PoolVariant, reading facts.PoolReading) event.Decoding {
	if v == facts.ProtocolEvent {
		d.Name = string(v)
		return d
	}
	declared := d.NameSource.Declared()
	if reading == facts.PoolRead && declared && d.Status == event.Decoded {
		d.Name = string(v)
		return d
	}
	only := event.Decoding{Status: event.NameOnly, Name: string(v), NameSource: d.NameSource, Unavailable: d.Unavailable}
	switch {
	case declared && d.Status == event.Decoded: // with another layout than the variant's, or its class came later
		only.Unavailable = event.SchemaUnavailable
		if reading == facts.PoolMalformed {
			only.Unavailable = event.PayloadShapeMismatch
		}
	case declared: // and the payload does not fit
	case reading == facts.PoolRead: // the class was looked up before, and not now
		only.NameSource, only.Unavailable = event.FromClassABI, event.SchemaUnavailable
	default:
		only.NameSource, only.Unavailable = event.FromCuration, event.SelectorOnly
	}
	return only
}
