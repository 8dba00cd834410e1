package privacy

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/privacy"
	"astrolabe/rest/chains"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// EventItem is an event of a pool: the event row of part 2.8 of the contract
// under the name of its variant, and what its public part says.
type EventItem struct {
	chains.EventRow
	SourceTier   chain.Tier   `json:"sourceTier"`
	PublicFields PublicFields `json:"publicFields"`
	PrivacyFees  []FeeItem    `json:"privacyFees"`
}

// PublicFields are what the public part of an event says.
type PublicFields struct {
	Visibility       privacy.Visibility `json:"visibility"`
	ActorAddress     *starknet.Felt     `json:"actorAddress"`
	ToAddress        *starknet.Felt     `json:"toAddress"`
	Token            *Token             `json:"token"`
	AmountRaw        *string            `json:"amountRaw"`
	NoteID           *starknet.Felt     `json:"noteId"`
	Nullifier        *starknet.Felt     `json:"nullifier"`
	AuditorPublicKey *starknet.Felt     `json:"auditorPublicKey"`
}

// Token is a token with its metadata.
type Token struct {
	Address  starknet.Felt `json:"address"`
	Symbol   *string       `json:"symbol"`
	Name     *string       `json:"name"`
	Decimals *uint8        `json:"decimals"`
}

// FeeItem is a fee of a pool with its evidence.
type FeeItem struct {
	TokenAddress       starknet.Felt `json:"tokenAddress"`
	AmountRaw          string        `json:"amountRaw"`
	CollectorAddress   starknet.Felt `json:"collectorAddress"`
	TransferLogIndex   int           `json:"transferLogIndex"`
	TransferIndex      int           `json:"transferIndex"`
	FeeCollectorConfig *EventPlace   `json:"feeCollectorConfig"`
	FeeAmountConfig    *EventPlace   `json:"feeAmountConfig"`
}

// EventPlace is the position of an event.
type EventPlace struct {
	BlockNumber uint64 `json:"blockNumber"`
	TxIndex     int    `json:"txIndex"`
	LogIndex    int    `json:"logIndex"`
}

func eventItem(e privacy.Event) EventItem {
	public := e.PublicFields()
	item := EventItem{
		EventRow: chains.RenderEvent(e.Row), SourceTier: e.Tier,
		PublicFields: PublicFields{
			Visibility: public.Visibility, ActorAddress: public.Actor, ToAddress: public.To, AmountRaw: frame.DecimalOrNull(public.Amount),
			NoteID: public.NoteID, Nullifier: public.Nullifier, AuditorPublicKey: public.AuditorKey,
		},
		PrivacyFees: frame.RenderAll(e.Fees, feeItem),
	}
	if t := public.Token; t != nil {
		item.PublicFields.Token = &Token{t.Address, t.Metadata.Symbol, t.Metadata.Name, t.Metadata.Decimals}
	}
	return item
}

func feeItem(f privacy.Fee) FeeItem {
	return FeeItem{
		TokenAddress: f.Token, AmountRaw: f.Amount.String(), CollectorAddress: f.Collector, TransferLogIndex: f.TransferLog, TransferIndex: f.TransferIndex,
		FeeCollectorConfig: new(eventPlace(f.CollectorSet)), FeeAmountConfig: new(eventPlace(f.AmountSet)),
	}
}

func eventPlace(p privacy.Place) EventPlace { return EventPlace{p.Block, p.Tx, p.Log} }

// PageBody is a page of a list.
type PageBody[T any] struct {
	Envelope
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
}

func renderPage[T, W any](c *frame.Call, page domain.Page[T], wire func(T) W) PageBody[W] {
	list := frame.RenderPage(c, page, wire)
	return PageBody[W]{envelope(c), list.Items, list.NextCursor}
}

// EventPage is a page of the events of pools.
type EventPage struct {
	PageBody[EventItem]
	EventDecodingDegraded bool `json:"eventDecodingDegraded"`
}

func (h Handlers) events(ctx context.Context, c *frame.Call) (any, error) {
	request, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	page, degraded, err := h.PrivacyEvents.List(ctx, c.Chain, c.Text("event"), request)
	if err != nil {
		return nil, err
	}
	return EventPage{renderPage(c, page, eventItem), degraded}, nil
}

// EventOperations are the routes of events and notes.
func (h Handlers) EventOperations() []frame.Operation {
	poolParam := frame.Param{Name: "pool", In: frame.InQuery, Kind: frame.FeltKind, About: "Only notes of this pool. For any other address the list is empty."}
	operation := frame.Operation{
		Method: http.MethodGet, Permission: account.Read, Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External,
		Timeout: 5 * time.Second, Cache: "no-cache", Success: http.StatusOK,
	}
	events, commitments, nullifiers := operation, operation, operation
	events.ID, events.Path, events.Summary = "listPrivacyPoolEvents", "/v1/{chain}/privacy-pool/events", "List the events of the privacy pool, newest first."
	events.Params = []frame.Param{frame.ChainParam,
		{Name: "event", In: frame.InQuery, Kind: frame.TextKind, About: "Only events of this name, which matches `" + privacy.NamePattern + "`. A name that no event has gives an empty page.", Example: "deposit"},
		frame.LimitParam(25, 100), frame.CursorParam}
	events.Body, events.Handle = "PrivacyPoolEventPage", h.events
	events.Proof = []string{"TestPoolEventsMatchTheChain", "TestPagesContainEveryPoolEventOnce", "TestAnUnknownPoolEventNameIsAnEmptyPage", "TestPoolEventNamesAreConsistentWithTheirReading"}

	commitments.ID, commitments.Path, commitments.Summary = "listPrivacyPoolCommitments", "/v1/{chain}/privacy-pool/commitments", "List the notes that were created, newest first."
	commitments.Params = []frame.Param{frame.ChainParam, poolParam, frame.LimitParam(25, 100), frame.CursorParam}
	commitments.Body, commitments.Handle = "PrivacyPoolCommitmentPage", h.commitments
	commitments.Proof = []string{"TestCommitmentsAndNullifiersMatchTheEvents", "TestNotesOfAnUnknownPoolAreAnEmptyPage"}

	nullifiers.ID, nullifiers.Path, nullifiers.Summary = "listPrivacyPoolNullifiers", "/v1/{chain}/privacy-pool/nullifiers", "List the nullifiers of used notes, newest first."
	nullifiers.Params, nullifiers.Proof = commitments.Params, commitments.Proof
	nullifiers.Body, nullifiers.Handle = "PrivacyPoolNullifierPage", h.nullifiers
	return []frame.Operation{events, commitments, nullifiers}
}
