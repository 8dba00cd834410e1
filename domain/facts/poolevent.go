package facts

import (
	"slices"

	"astrolabe/starknet"
)

// PoolVariant names an event of a privacy pool: the snake_case name of its
// variant in the pool's event enum.
type PoolVariant string

// The variants of the deployed pool classes. Every other event of a pool is a
// protocol event.
const (
	ProtocolEvent              PoolVariant = "protocol_event"
	ViewingKeySet              PoolVariant = "viewing_key_set"
	PoolDeposit                PoolVariant = "deposit"
	PoolWithdrawal             PoolVariant = "withdrawal"
	OpenNoteCreated            PoolVariant = "open_note_created"
	OpenNoteDeposited          PoolVariant = "open_note_deposited"
	EncNoteCreated             PoolVariant = "enc_note_created"
	NoteUsed                   PoolVariant = "note_used"
	ExternalContractInvoked    PoolVariant = "external_contract_invoked"
	AuditorPublicKeySet        PoolVariant = "auditor_public_key_set"
	ScreenerPublicKeySet       PoolVariant = "screener_public_key_set"
	FeeAmountSet               PoolVariant = "fee_amount_set"
	FeeCollectorSet            PoolVariant = "fee_collector_set"
	ProofValidityBlocksSet     PoolVariant = "proof_validity_blocks_set"
	OpenNoteDepositorBlockSet  PoolVariant = "open_note_depositor_block_set"
	OpenNoteScreeningPolicySet PoolVariant = "open_note_screening_policy_set"
)

// PoolVariants lists the variants in the order of their stored numbers. New ones
// are only appended.
var PoolVariants = []PoolVariant{
	ProtocolEvent, ViewingKeySet, PoolDeposit, PoolWithdrawal, OpenNoteCreated, OpenNoteDeposited, EncNoteCreated, NoteUsed,
	ExternalContractInvoked, AuditorPublicKeySet, ScreenerPublicKeySet, FeeAmountSet, FeeCollectorSet, ProofValidityBlocksSet,
	OpenNoteDepositorBlockSet, OpenNoteScreeningPolicySet,
}

// Flows reports whether the event moves tokens into or out of the pool.
func (v PoolVariant) Flows() bool {
	return v == PoolDeposit || v == OpenNoteDeposited || v == PoolWithdrawal
}

// PoolReading is how far an event of a pool could be read.
type PoolReading string

// The readings.
const (
	// PoolRead is an event that its class declares and whose whole payload was
	// read, or a protocol event.
	PoolRead PoolReading = "read"
	// PoolMalformed is an event with the selector of a variant whose payload
	// does not fit the class in force, or which that class does not declare.
	PoolMalformed PoolReading = "malformed"
	// PoolUnread is an event of a class that is not available yet.
	PoolUnread PoolReading = "unread"
)

// PrivacyEventsVersion is the version of PoolEvents.
const PrivacyEventsVersion = 1

// PoolEvent is an event that a privacy pool emitted. Its fields are those of its
// variant, as far as they could be read.
type PoolEvent struct {
	TxIndex  int
	LogIndex int
	Pool     starknet.Felt
	Variant  PoolVariant
	Reading  PoolReading
	// Party is the user, the recipient, the depositor, the invoked contract or
	// the fee collector.
	Party  *starknet.Felt
	Token  *starknet.Felt
	Amount *starknet.Uint256 // that flowed, or the fee from now on
	Note   *starknet.Felt    // the ID of a note, or a nullifier
}

// PoolEvents returns one row for every event that one of the pools emitted, in
// order. The class in force at the block decides how an event is read:
//
//   - If the class is unknown, missing or has no readable ABI, the event is
//     unread and has no fields.
//   - An event whose first key is no selector of a variant is a protocol event.
//   - An event that the class declares with the layout of its variant, and whose
//     payload is exactly that, is read.
//   - Any other event with the selector of a variant is malformed. Keys that fit
//     the variant still give their fields.
//
// If the class was replaced within the block, both must read the event equally;
// otherwise it is malformed, or unread if one of them is not available.
func PoolEvents(events []Event, pools []starknet.Felt, at View) (rows []PoolEvent) {
	for i := range events {
		e := &events[i]
		if !slices.Contains(pools, e.FromAddress) {
			continue
		}
		row := PoolEvent{TxIndex: e.TxIndex, LogIndex: e.LogIndex, Pool: e.FromAddress}
		row.read(&e.Event, at.Runtime(e.FromAddress))
		rows = append(rows, row)
	}
	return rows
}

// read sets the variant, the reading and the fields of an event.
func (p *PoolEvent) read(e *starknet.Event, r Runtime) {
	layout := layoutOf(e)
	p.Variant, p.Reading = ProtocolEvent, r.poolReading(layout)
	if layout == nil {
		return
	}
	p.Variant = layout.variant
	if p.Reading == PoolUnread {
		return
	}
	var keys, data PoolEvent
	if layout.keys.fill(&keys, e.Keys[1:]) {
		p.Party, p.Token, p.Note = keys.Party, keys.Token, keys.Note
	} else {
		p.Reading = PoolMalformed
	}
	if !layout.data.fill(&data, e.Data) {
		p.Reading = PoolMalformed
	}
	if p.Reading == PoolRead {
		p.Amount = data.Amount
		if data.Party != nil {
			p.Party = data.Party
		}
	}
}

// poolReading returns how the classes around the block read events of a layout
// whose payload fits; nil is the layout of other events.
func (r Runtime) poolReading(l *poolLayout) PoolReading {
	reading := PoolUnread // without a class
	for _, class := range [2]*Class{r.Before, r.After} {
		switch {
		case class == nil: // not yet deployed, or not known
		case class.schema == nil:
			return PoolUnread
		case l != nil && !class.pool[l.selector]:
			reading = PoolMalformed
		case reading == PoolUnread:
			reading = PoolRead
		}
	}
	return reading
}
