package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/repo/privacy"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// poolPath is the path of the routes of privacy pools, and poolAddress the pool
// of the everyday chain.
const (
	poolPath    = "/v1/SN_MAIN/privacy-pool/"
	poolAddress = "0x40337b1af3c663e86e333bab5a4b28da8d4652a15a69beee2b677776ffe812a"
)

// poolEvent is an event of a pool as a client reads it.
type poolEvent struct {
	eventRow
	SourceTier   string
	PublicFields poolFields
	PrivacyFees  []struct {
		TokenAddress, AmountRaw, CollectorAddress string
		TransferLogIndex, TransferIndex           int
		FeeCollectorConfig, FeeAmountConfig       *poolPlace
	}
}

type poolFields struct {
	Visibility                          string
	ActorAddress, ToAddress, AmountRaw  *string
	NoteID, Nullifier, AuditorPublicKey *string
	Token                               *struct{ Address string }
}

type poolPlace struct {
	BlockNumber       uint64
	TxIndex, LogIndex int
}

// poolNote is a commitment or a nullifier as a client reads it.
type poolNote struct {
	poolPlace
	TxHash, PoolContractAddress, EventName, SourceTier string
	CommitmentHash, NullifierHash, TokenAddress        string
	AmountRaw                                          *string
}

// poolList follows a list of a privacy route to its end.
func poolList[T any](s *service, path string) (all []T) {
	s.t.Helper()
	next := poolPath + path
	for range 1000 {
		var page struct {
			Items      []T
			NextCursor *string
		}
		a := s.get(next)
		if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.StatusCode != http.StatusOK {
			s.t.Fatalf("%s: got %d %s (%v), want 200 and a page", next, a.StatusCode, a.body, err)
		}
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			return all
		}
		next = poolPath + path + "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
	s.t.Fatalf("%s: got more than 1000 pages, want an end", path)
	return nil
}

// poolNames are the names that the events of the everyday chain must have, by
// selector.
var poolNames = func() map[starknet.Felt]string {
	names := map[starknet.Felt]string{}
	for variant, name := range map[string]string{
		"ViewingKeySet": "viewing_key_set", "Deposit": "deposit", "Withdrawal": "withdrawal", "OpenNoteCreated": "open_note_created",
		"OpenNoteDeposited": "open_note_deposited", "EncNoteCreated": "enc_note_created", "NoteUsed": "note_used",
		"ExternalContractInvoked": "external_contract_invoked", "AuditorPublicKeySet": "auditor_public_key_set",
		"ScreenerPublicKeySet": "screener_public_key_set", "FeeAmountSet": "fee_amount_set", "FeeCollectorSet": "fee_collector_set",
		"ProofValidityBlocksSet": "proof_validity_blocks_set", "OpenNoteDepositorBlockSet": "open_note_depositor_block_set",
	} {
		names[starknet.Selector(variant)] = name
	}
	return names
}()

// ofPool reports whether the pool emitted an event.
func ofPool(_ uint64, e facts.Event) bool { return e.FromAddress == starknet.MustFelt(poolAddress) }

func TestPoolEventsMatchTheChain(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	got := poolList[poolEvent](s, "events?limit=100")
	rows := make([]eventRow, len(got))
	seen := map[string]bool{}
	for i, e := range got {
		rows[i] = e.eventRow
		event := findEvent(t, blocks, e.BlockNumber, e.TxIndex, e.LogIndex)
		name, known := poolNames[event.Keys[0]]
		if !known {
			name = "protocol_event"
		}
		seen[name] = true
		if e.EventName == nil || *e.EventName != name {
			t.Errorf("%s: got the name %v, want %s", rows[i].TxHash, e.EventName, name)
		}
		if tier := "head"; e.BlockNumber > repotest.FollowedFinalized && e.SourceTier != tier {
			t.Errorf("block %d: got the tier %s, want %s", e.BlockNumber, e.SourceTier, tier)
		}
		e.EventName = nil
		if want := publicPart(name, event); !cmp.Equal(want, e.PublicFields) {
			t.Errorf("%s at %d:%d:%d: got other public fields than wanted (-want +got):\n%s", name, e.BlockNumber, e.TxIndex, e.LogIndex, cmp.Diff(want, e.PublicFields))
		}
	}
	requirePlaces(t, "events of the pool", rows, chosen(t, ofPool))
	if len(seen) != len(poolNames)+1 {
		t.Errorf("got events of %d names on the chain, want %d", len(seen), len(poolNames)+1)
	}
}

func findEvent(t *testing.T, blocks []facts.Block, block uint64, tx, log int) facts.Event {
	t.Helper()
	for _, e := range blocks[block].Events {
		if e.TxIndex == tx && e.LogIndex == log {
			return e
		}
	}
	t.Fatalf("got an event at %d:%d:%d, want one of the chain", block, tx, log)
	return facts.Event{}
}

// publicPart reads the public part of an event from its felts.
func publicPart(name string, e facts.Event) poolFields {
	key := func(i int) *string { return new(e.Keys[i].String()) }
	data := func(i int) *string { return new(e.Data[i].String()) }
	amount := func(i int) *string { return new(e.Data[i].Big().String()) }
	token := func(i int) *struct{ Address string } { return &struct{ Address string }{e.Keys[i].String()} }
	switch name {
	case "viewing_key_set":
		return poolFields{Visibility: "partial", ActorAddress: key(1), AuditorPublicKey: data(0)}
	case "deposit":
		return poolFields{Visibility: "public", ActorAddress: key(1), Token: token(2), AmountRaw: amount(0)}
	case "withdrawal":
		return poolFields{Visibility: "partial", ToAddress: key(1), Token: token(2), AuditorPublicKey: data(0), AmountRaw: amount(3)}
	case "open_note_created":
		return poolFields{Visibility: "partial", Token: token(1), NoteID: key(2), AuditorPublicKey: data(0)}
	case "open_note_deposited":
		return poolFields{Visibility: "public", ActorAddress: key(1), Token: token(2), NoteID: key(3), AmountRaw: amount(0)}
	case "enc_note_created":
		return poolFields{Visibility: "hidden_by_design", NoteID: key(1)}
	case "note_used":
		return poolFields{Visibility: "hidden_by_design", Nullifier: key(1)}
	case "external_contract_invoked":
		return poolFields{Visibility: "public", ToAddress: key(1)}
	case "auditor_public_key_set":
		return poolFields{Visibility: "public", AuditorPublicKey: data(0)}
	case "fee_amount_set":
		return poolFields{Visibility: "public", AmountRaw: amount(0)}
	case "fee_collector_set":
		return poolFields{Visibility: "public", ToAddress: data(0)}
	case "protocol_event":
		return poolFields{Visibility: "partial"}
	default:
		return poolFields{Visibility: "public"}
	}
}

// TestPoolFeesAreTheTransfersToTheCollector compares the fees of all events with
// the transfers of the fee to the collector that the pool's event named. The
// chain has no other transfers of that amount to it.
func TestPoolFeesAreTheTransfersToTheCollector(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	var got, want []string
	collector := ""
	for _, e := range poolList[poolEvent](s, "events?limit=100") {
		for _, fee := range e.PrivacyFees {
			got = append(got, fmt.Sprintf("%d:%d:%d:%d %s %s to %s", e.BlockNumber, e.TxIndex, fee.TransferLogIndex, fee.TransferIndex, fee.AmountRaw, fee.TokenAddress, fee.CollectorAddress))
			if fee.TransferLogIndex >= e.LogIndex || fee.FeeAmountConfig == nil || fee.FeeCollectorConfig == nil {
				t.Errorf("%d:%d:%d: got the evidence %+v, want an earlier transfer and both settings", e.BlockNumber, e.TxIndex, e.LogIndex, fee)
			}
		}
		if *e.EventName == "fee_collector_set" {
			collector = *e.PublicFields.ToAddress
		}
	}
	const fee = "6000000000000000000"
	for _, m := range movements(t) {
		if m.Token.String() == strk && m.To.String() == collector && m.Amount.String() == fee {
			want = append(want, fmt.Sprintf("%d:%d:%d:%d %s %s to %s", m.block.Number, m.TxIndex, m.LogIndex, m.Index, fee, strk, collector))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("got other fees than transfers to the collector (-want +got):\n%s", diff)
	}
}

func TestPagesContainEveryPoolEventOnce(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, filter := range []string{"", "&event=note_used", "&event=protocol_event"} {
		want := poolList[json.RawMessage](s, "events?limit=100"+filter)
		if got := poolList[json.RawMessage](s, "events?limit=3"+filter); !cmp.Equal(want, got) || len(want) < 4 {
			t.Errorf("%q: got %d events in pages of 3, want the %d of one page", filter, len(got), len(want))
		}
		for _, e := range poolList[poolEvent](s, "events?limit=100"+filter) {
			if filter != "" && "&event="+*e.EventName != filter {
				t.Errorf("%s: got a %s, want none", filter, *e.EventName)
			}
		}
	}
	var page struct{ NextCursor string }
	if err := json.Unmarshal([]byte(s.get(poolPath+"events?limit=1").body), &page); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"events?event=deposit&", "commitments?", "nullifiers?"} {
		requireFailure(t, s.get(poolPath+path+"cursor="+page.NextCursor), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

func TestAnUnknownPoolEventNameIsAnEmptyPage(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	if got := poolList[poolEvent](s, "events?event=merkle_root_set"); len(got) != 0 {
		t.Errorf("got %d events, want none", len(got))
	}
	for _, name := range []string{"Deposit", "deposit%20", "a-b", "abcdefghijklmnopqrstuvwxyz0123456", ""} {
		requireFailure(t, s.get(poolPath+"events?event="+name), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

// TestPoolEventNamesAreConsistentWithTheirReading changes how the events of one
// name were read.
func TestPoolEventNamesAreConsistentWithTheirReading(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	s.strike("UPDATE privacy_events SET reading = 1, amount = NULL WHERE variant = 2")
	s.strike("UPDATE privacy_events SET reading = 2, amount = NULL, party = NULL, token = NULL WHERE variant = 3")
	for name, hasToken := range map[string]bool{"deposit": true, "withdrawal": false} {
		for _, e := range poolList[poolEvent](s, "events?event="+name+"&limit=100") {
			if e.DecodingStatus != "name_only" || *e.EventName != name || e.EventNameSource == nil || e.DecodedFields != nil || e.DecodedFieldsUnavailableReason == nil {
				t.Errorf("%s: got %s %s by %v, want name_only, its name and a reason", name, e.DecodingStatus, *e.EventName, e.EventNameSource)
			}
			if got := e.PublicFields; got.AmountRaw != nil || got.AuditorPublicKey != nil || (got.Token != nil) != hasToken {
				t.Errorf("%s: got the fields %+v, want no amount and a token: %v", name, got, hasToken)
			}
		}
	}
}

func TestCommitmentsAndNullifiersMatchTheEvents(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	var commitments, nullifiers []poolNote
	for _, e := range poolList[poolEvent](s, "events?limit=100") {
		n := poolNote{
			poolPlace: poolPlace{e.BlockNumber, e.TxIndex, e.LogIndex}, TxHash: e.TxHash.String(), PoolContractAddress: poolAddress, EventName: *e.EventName, SourceTier: e.SourceTier,
		}
		switch *e.EventName {
		case "open_note_created", "enc_note_created":
			if e.PublicFields.Token != nil {
				n.TokenAddress = e.PublicFields.Token.Address
			}
			n.CommitmentHash = e.Keys[len(e.Keys)-1].String()
			commitments = append(commitments, n)
		case "note_used":
			n.NullifierHash = e.Keys[1].String()
			nullifiers = append(nullifiers, n)
		}
	}
	for path, want := range map[string][]poolNote{"commitments?": commitments, "nullifiers?": nullifiers} {
		for _, query := range []string{"limit=100", "limit=2", "limit=3&pool=" + poolAddress} {
			got := poolList[poolNote](s, path+query)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(poolNote{})); diff != "" || len(want) == 0 {
				t.Errorf("%s%s: got other notes than in the events (-want +got):\n%s", path, query, diff)
			}
		}
	}
}

func TestNotesOfAnUnknownPoolAreAnEmptyPage(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, path := range []string{"commitments?pool=", "nullifiers?pool="} {
		for _, pool := range []string{nobodysAddress, strk} {
			if got := poolList[poolNote](s, path+pool); len(got) != 0 {
				t.Errorf("%s%s: got %d notes, want none", path, pool, len(got))
			}
		}
		requireFailure(t, s.get(poolPath+path+"pool"), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

// poolStatus is the status as a client reads it.
type poolStatus struct {
	PoolContracts                                                   []string
	TotalEvents, DepositCount, WithdrawalCount                      *int
	OpenNoteDepositedCount, ViewingKeySetCount, RegisteredUserCount *int
	EventBreakdown                                                  []struct {
		Name  string
		Count int
	}
	NoteState                                       struct{ CommitmentCount, NullifierCount *int }
	LatestEvent, LatestDecodedEvent, LatestRawEvent *struct{ Cursor string }
	EventLagBlocks                                  *int
	MaterializationFresh                            *bool
}

func (s *service) poolStatus() (status poolStatus) {
	s.t.Helper()
	a := s.get(poolPath + "status")
	if err := json.Unmarshal([]byte(a.body), &status); err != nil || a.StatusCode != http.StatusOK {
		s.t.Fatalf("got %d %s (%v), want 200 and a status", a.StatusCode, a.body, err)
	}
	return status
}

// TestPoolStatusCountsTheLedgerAndTheEventsAboveIt compares the status with the
// list of all events, before the ledger has any of them and when it has those of
// finalized blocks.
func TestPoolStatusCountsTheLedgerAndTheEventsAboveIt(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	counts, users := map[string]int{}, map[string]bool{}
	events := poolList[poolEvent](s, "events?limit=100")
	for _, e := range events {
		counts[*e.EventName]++
		if *e.EventName == "viewing_key_set" {
			users[*e.PublicFields.ActorAddress] = true
		}
	}
	for _, ledger := range []string{"empty", "extended"} {
		got := s.poolStatus()
		breakdown := map[string]int{}
		for _, n := range got.EventBreakdown {
			breakdown[n.Name] = n.Count
		}
		newest := fmt.Sprintf("%d:%d:%d", events[0].BlockNumber, events[0].TxIndex, events[0].LogIndex)
		if diff := cmp.Diff(counts, breakdown); diff != "" {
			t.Errorf("%s ledger: got other counts than events (-want +got):\n%s", ledger, diff)
		}
		for name, number := range map[string][2]int{
			"total":       {len(events), *got.TotalEvents},
			"deposits":    {counts["deposit"] + counts["open_note_deposited"], *got.DepositCount},
			"withdrawals": {counts["withdrawal"], *got.WithdrawalCount},
			"users":       {len(users), *got.RegisteredUserCount},
			"commitments": {counts["open_note_created"] + counts["enc_note_created"], *got.NoteState.CommitmentCount},
			"nullifiers":  {counts["note_used"], *got.NoteState.NullifierCount},
		} {
			if number[0] != number[1] || number[0] == 0 {
				t.Errorf("%s ledger: got %d %s, want %d", ledger, number[1], name, number[0])
			}
		}
		if got.LatestEvent.Cursor != newest || got.LatestDecodedEvent.Cursor != newest || got.LatestRawEvent.Cursor != newest || *got.EventLagBlocks != 0 || !*got.MaterializationFresh {
			t.Errorf("%s ledger: got the newest events %v, %v and %v, want %s and no lag", ledger, got.LatestEvent, got.LatestDecodedEvent, got.LatestRawEvent, newest)
		}
		s.extendLedger()
	}
}

// extendLedger folds all finalized events into the ledger.
func (s *service) extendLedger() {
	s.t.Helper()
	if _, err := privacy.NewLedgers(s.db).Extend(s.t.Context(), domain.Mainnet, time.Now(), 100_000); err != nil {
		s.t.Fatal(err)
	}
}

func TestPoolStatusWithTooManyNewEventsHasNoCounts(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	s.extendLedger()
	s.strike(`INSERT INTO privacy_events (chain, block, tx, log, variant, reading, pool)
		SELECT 1, 58, 10000 + n, 0, 0, 0, (SELECT address FROM privacy_pools WHERE chain = 1) FROM generate_series(1, 20001) n`)
	got := s.poolStatus()
	if got.TotalEvents != nil || got.EventBreakdown != nil || got.DepositCount != nil || got.RegisteredUserCount != nil || got.NoteState.CommitmentCount != nil || got.MaterializationFresh != nil {
		t.Errorf("got %+v, want no counts", got)
	}
	if got.LatestEvent == nil || got.LatestRawEvent == nil {
		t.Errorf("got %+v, want the newest events", got)
	}
}

func TestPoolStatusReportsEventsThatAreNotDecodedYet(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	s.strike("UPDATE privacy_events SET reading = 2 WHERE block > 55")
	got := s.poolStatus()
	if *got.MaterializationFresh || *got.EventLagBlocks != 5 || got.LatestEvent.Cursor != got.LatestRawEvent.Cursor || got.LatestDecodedEvent.Cursor == got.LatestEvent.Cursor {
		t.Errorf("got fresh %v with a lag of %d blocks and the newest decoded event %s, want a lag of 5", *got.MaterializationFresh, *got.EventLagBlocks, got.LatestDecodedEvent.Cursor)
	}
}
