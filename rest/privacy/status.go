package privacy

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain/account"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// StatusBody is the status of the pools of a chain. Counts are null when too
// many events are too new to count them for one answer.
type StatusBody struct {
	Envelope
	PoolContracts           []starknet.Felt `json:"poolContracts"`
	TotalEvents             *uint64         `json:"totalEvents"`
	EventBreakdown          []NameCount     `json:"eventBreakdown"`
	DepositCount            *uint64         `json:"depositCount"`
	WithdrawalCount         *uint64         `json:"withdrawalCount"`
	OpenNoteCreatedCount    *uint64         `json:"openNoteCreatedCount"`
	OpenNoteDepositedCount  *uint64         `json:"openNoteDepositedCount"`
	EncNoteCreatedCount     *uint64         `json:"encNoteCreatedCount"`
	NoteUsedCount           *uint64         `json:"noteUsedCount"`
	AuditorPublicKeyCount   *uint64         `json:"auditorPublicKeySetCount"`
	ViewingKeySetCount      *uint64         `json:"viewingKeySetCount"`
	RegisteredUserCount     *uint64         `json:"registeredUserCount"`
	NoteState               NoteState       `json:"noteState"`
	LatestEvent             *LatestEvent    `json:"latestEvent"`
	LatestDecodedEvent      *LatestEvent    `json:"latestDecodedEvent"`
	LatestRawEvent          *LatestEvent    `json:"latestRawEvent"`
	EventLagBlocks          *uint64         `json:"eventLagBlocks"`
	MaterializationFresh    *bool           `json:"materializationFresh"`
	RawEventFilterTruncated bool            `json:"rawEventFilterTruncated"`
	Caveat                  string          `json:"caveat"`
}

// NameCount is how many events have a name.
type NameCount struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
}

// NoteState counts the events of notes.
type NoteState struct {
	CommitmentCount *uint64 `json:"commitmentCount"`
	NullifierCount  *uint64 `json:"nullifierCount"`
	Source          string  `json:"source"`
	Caveat          string  `json:"caveat"`
}

// LatestEvent is the position of an event, also as a text that can be compared
// with other answers.
type LatestEvent struct {
	EventPlace
	Cursor string `json:"cursor"`
}

func latestEvent(p *privacy.Place) *LatestEvent {
	if p == nil {
		return nil
	}
	return &LatestEvent{eventPlace(*p), privacy.Watermark(*p)}
}

func statusBody(c *frame.Call, s privacy.Status) StatusBody {
	count := func(n func(privacy.Counts) uint64) *uint64 {
		if s.Counts == nil {
			return nil
		}
		return new(n(s.Counts))
	}
	of := func(variants ...facts.PoolVariant) *uint64 {
		return count(func(counts privacy.Counts) uint64 { return counts.Of(variants...) })
	}
	body := StatusBody{
		Envelope: envelope(c), PoolContracts: frame.EmptyIfNil(s.Pools), TotalEvents: count(privacy.Counts.Total),
		DepositCount: count(privacy.Counts.Deposits), WithdrawalCount: of(facts.PoolWithdrawal),
		OpenNoteCreatedCount: of(facts.OpenNoteCreated), OpenNoteDepositedCount: of(facts.OpenNoteDeposited),
		EncNoteCreatedCount: of(facts.EncNoteCreated), NoteUsedCount: of(facts.NoteUsed),
		AuditorPublicKeyCount: of(facts.AuditorPublicKeySet), ViewingKeySetCount: of(facts.ViewingKeySet), RegisteredUserCount: s.Wallets,
		NoteState:   NoteState{count(privacy.Counts.Commitments), of(facts.NoteUsed), privacy.NoteSource, privacy.NoteCaveat},
		LatestEvent: latestEvent(s.Latest), LatestDecodedEvent: latestEvent(s.LatestDecoded), LatestRawEvent: latestEvent(s.LatestRaw),
		EventLagBlocks: s.LagBlocks, MaterializationFresh: s.Fresh, Caveat: privacy.FlowCaveat,
	}
	if s.Counts != nil {
		body.EventBreakdown = frame.RenderAll(s.Counts.Breakdown(), nameCount)
	}
	return body
}

func nameCount(n privacy.Count) NameCount { return NameCount{n.Name, n.Events} }

func (h Handlers) status(ctx context.Context, c *frame.Call) (any, error) {
	status, err := h.PrivacyStatuses.Of(ctx, c.Chain)
	if err != nil {
		return nil, err
	}
	return statusBody(c, status), nil
}

// StatusOperations are the routes of the status.
func (h Handlers) StatusOperations() []frame.Operation {
	return []frame.Operation{{
		ID: "getPrivacyPoolStatus", Method: http.MethodGet, Path: "/v1/{chain}/privacy-pool/status",
		Summary: "Get counts of the public events of the privacy pool, and how far they are decoded.",
		Params:  []frame.Param{frame.ChainParam}, Permission: account.Read,
		Class: frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "PrivacyPoolStatus",
		Proof:  []string{"TestPoolStatusCountsTheLedgerAndTheEventsAboveIt", "TestPoolStatusWithTooManyNewEventsHasNoCounts", "TestPoolStatusReportsEventsThatAreNotDecodedYet"},
		Handle: h.status,
	}}
}
