package privacy

// The head of every answer about privacy pools.
const (
	// SchemaVersion is the version of the answers' shape.
	SchemaVersion = "1"
	// Scope names the facts that the answers cover.
	Scope = "strk20_privacy_pool"
	// AccountingMethod names the rules of the flow ledger.
	AccountingMethod = "finalized_public_flow_ledger_v1"
	// FinalityBasis names the tier of blocks that the flow ledger covers.
	FinalityBasis = "service_indexed_finalized_tier"
	// NoteSource names the source of the counts of notes.
	NoteSource = "public_decoded_event_rows"
)

// FlowCaveat says what counts and amounts of deposits include.
const FlowCaveat = "Deposits are the events deposit and open_note_deposited: every deposit count and amount includes the funding of open notes. Withdrawals are the event withdrawal."
