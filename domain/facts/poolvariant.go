package facts

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
