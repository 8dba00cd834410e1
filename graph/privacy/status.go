package privacy

import (
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/starknet"
)

// Status counts the public events of the pools of a chain. Counts are nil when
// too many events are too new to count them for one answer.
type Status struct {
	PoolContracts            []starknet.Felt
	TotalEvents              *uint64
	EventBreakdown           []NameCount
	DepositCount             *uint64
	WithdrawalCount          *uint64
	OpenNoteCreatedCount     *uint64
	OpenNoteDepositedCount   *uint64
	EncNoteCreatedCount      *uint64
	NoteUsedCount            *uint64
	AuditorPublicKeySetCount *uint64
	ViewingKeySetCount       *uint64
	RegisteredUserCount      *uint64
	NoteState                NoteState
	LatestEvent              *LatestEvent
	LatestDecodedEvent       *LatestEvent
	LatestRawEvent           *LatestEvent
	EventLagBlocks           *uint64
	MaterializationFresh     *bool
	RawEventFilterTruncated  bool // never
}

// NameCount is how many events have a name.
type NameCount struct {
	Name  string
	Count uint64
}

// NameCounts makes the objects of counts.
func NameCounts(counts []privacy.Count) []NameCount {
	return each(counts, func(n privacy.Count) NameCount { return NameCount{n.Name, n.Events} })
}

// NoteState counts the events of notes.
type NoteState struct {
	CommitmentCount, NullifierCount *uint64
	Source, Caveat                  string
}

// StatusOf makes the object of a status.
func StatusOf(s privacy.Status) *Status {
	count := func(n func(privacy.Counts) uint64) *uint64 {
		if s.Counts == nil {
			return nil
		}
		return new(n(s.Counts))
	}
	of := func(variant facts.PoolVariant) *uint64 {
		return count(func(counts privacy.Counts) uint64 { return counts.Of(variant) })
	}
	status := &Status{
		PoolContracts: s.Pools, TotalEvents: count(privacy.Counts.Total),
		DepositCount: count(privacy.Counts.Deposits), WithdrawalCount: of(facts.PoolWithdrawal),
		OpenNoteCreatedCount: of(facts.OpenNoteCreated), OpenNoteDepositedCount: of(facts.OpenNoteDeposited),
		EncNoteCreatedCount: of(facts.EncNoteCreated), NoteUsedCount: of(facts.NoteUsed),
		AuditorPublicKeySetCount: of(facts.AuditorPublicKeySet), ViewingKeySetCount: of(facts.ViewingKeySet), RegisteredUserCount: s.Wallets,
		NoteState:   NoteState{count(privacy.Counts.Commitments), of(facts.NoteUsed), privacy.NoteSource, privacy.NoteCaveat},
		LatestEvent: latestEvent(s.Latest), LatestDecodedEvent: latestEvent(s.LatestDecoded), LatestRawEvent: latestEvent(s.LatestRaw),
		EventLagBlocks: s.LagBlocks, MaterializationFresh: s.Fresh,
	}
	if s.Counts != nil {
		status.EventBreakdown = NameCounts(s.Counts.Breakdown())
	}
	return status
}
