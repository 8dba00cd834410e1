package privacy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

func TestOnlyAnEventThatWasReadWholeIsDecoded(t *testing.T) {
	t.Parallel()
	fields := []abi.Field{}
	var (
		decoded = func(from event.NameSource, types event.FieldsSource) event.Decoding {
			return event.Decoding{Status: event.Decoded, Name: "Deposit", NameSource: from, Fields: fields, FieldsFrom: types}
		}
		only = func(name string, from event.NameSource, why event.Reason) event.Decoding {
			return event.Decoding{Status: event.NameOnly, Name: name, NameSource: from, Unavailable: why}
		}
		unknown   = event.Decoding{Status: event.Unknown, Unavailable: event.SchemaUnavailable}
		byClass   = decoded(event.FromClassABI, event.TypedByClassABI)
		standard  = decoded(event.FromCuration, event.TypedByStandard)
		misfit    = only("Deposit", event.FromClassABI, event.PayloadShapeMismatch)
		certified = byClass
		verified  = decoded(event.FromVerifiedABI, event.TypedByClassABI)
		shown     = verified
	)
	certified.Name, shown.Name = "deposit", "deposit"
	for name, c := range map[string]struct {
		variant facts.PoolVariant
		reading facts.PoolReading
		got     event.Decoding
		want    event.Decoding
	}{
		"read by its class":               {facts.PoolDeposit, facts.PoolRead, byClass, certified},
		"of a verified class":             {facts.PoolDeposit, facts.PoolRead, verified, shown},
		"read, and the lookup failed":     {facts.PoolDeposit, facts.PoolRead, unknown, only("deposit", event.FromClassABI, event.SchemaUnavailable)},
		"read, and now only standard":     {facts.PoolDeposit, facts.PoolRead, standard, only("deposit", event.FromClassABI, event.SchemaUnavailable)},
		"malformed by its class":          {facts.PoolDeposit, facts.PoolMalformed, misfit, only("deposit", event.FromClassABI, event.PayloadShapeMismatch)},
		"declared with another layout":    {facts.PoolDeposit, facts.PoolMalformed, byClass, only("deposit", event.FromClassABI, event.PayloadShapeMismatch)},
		"not declared, by selector alone": {facts.PoolDeposit, facts.PoolMalformed, standard, only("deposit", event.FromCuration, event.SelectorOnly)},
		"of a class that is unavailable":  {facts.PoolDeposit, facts.PoolUnread, unknown, only("deposit", event.FromCuration, event.SelectorOnly)},
		"of a class that came later":      {facts.PoolDeposit, facts.PoolUnread, byClass, only("deposit", event.FromClassABI, event.SchemaUnavailable)},
		"another event, decoded":          {facts.ProtocolEvent, facts.PoolRead, byClass, event.Decoding{Status: event.Decoded, Name: "protocol_event", NameSource: event.FromClassABI, Fields: fields, FieldsFrom: event.TypedByClassABI}},
		"another event, unknown":          {facts.ProtocolEvent, facts.PoolRead, unknown, event.Decoding{Status: event.Unknown, Name: "protocol_event", Unavailable: event.SchemaUnavailable}},
	} {
		if diff := cmp.Diff(c.want, named(c.got, c.variant, c.reading)); diff != "" {
			t.Errorf("%s: got another decoding than wanted (-want +got):\n%s", name, diff)
		}
	}
}

func TestPublicFieldsAreThoseOfTheVariant(t *testing.T) {
	t.Parallel()
	var (
		party, note = starknet.FeltFromUint64(1), starknet.FeltFromUint64(2)
		auditor     = starknet.FeltFromUint64(3)
		token       = &Token{Address: starknet.FeltFromUint64(4)}
		amount      = &starknet.Uint256{31: 5}
	)
	for _, c := range []struct {
		variant facts.PoolVariant
		want    PublicFields // besides token and amount
	}{
		{facts.ProtocolEvent, PublicFields{Visibility: Partial}},
		{facts.ViewingKeySet, PublicFields{Visibility: Partial, Actor: &party, AuditorKey: &auditor}},
		{facts.PoolDeposit, PublicFields{Visibility: Public, Actor: &party}},
		{facts.PoolWithdrawal, PublicFields{Visibility: Partial, To: &party, AuditorKey: &auditor}},
		{facts.OpenNoteCreated, PublicFields{Visibility: Partial, NoteID: &note, AuditorKey: &auditor}},
		{facts.OpenNoteDeposited, PublicFields{Visibility: Public, Actor: &party, NoteID: &note}},
		{facts.EncNoteCreated, PublicFields{Visibility: HiddenByDesign, NoteID: &note}},
		{facts.NoteUsed, PublicFields{Visibility: HiddenByDesign, Nullifier: &note}},
		{facts.ExternalContractInvoked, PublicFields{Visibility: Public, To: &party}},
		{facts.AuditorPublicKeySet, PublicFields{Visibility: Public, AuditorKey: &auditor}},
		{facts.ScreenerPublicKeySet, PublicFields{Visibility: Public}},
		{facts.FeeAmountSet, PublicFields{Visibility: Public}},
		{facts.FeeCollectorSet, PublicFields{Visibility: Public, To: &party}},
		{facts.ProofValidityBlocksSet, PublicFields{Visibility: Public}},
		{facts.OpenNoteDepositorBlockSet, PublicFields{Visibility: Public}},
		{facts.OpenNoteScreeningPolicySet, PublicFields{Visibility: Public}},
	} {
		e := Event{Row: event.Row{Data: []starknet.Felt{auditor}}, Variant: c.variant, Reading: facts.PoolRead, Token: token, Amount: amount}
		if c.want.Actor != nil || c.want.To != nil || c.variant == facts.OpenNoteScreeningPolicySet {
			e.Party = &party
		}
		if c.want.NoteID != nil || c.want.Nullifier != nil {
			e.Note = &note
		}
		c.want.Token, c.want.Amount = token, amount
		if diff := cmp.Diff(c.want, e.PublicFields()); diff != "" {
			t.Errorf("%s: got other fields than wanted (-want +got):\n%s", c.variant, diff)
		}
		e.Reading, c.want.AuditorKey = facts.PoolMalformed, nil
		if diff := cmp.Diff(c.want, e.PublicFields()); diff != "" {
			t.Errorf("a malformed %s: got other fields than wanted (-want +got):\n%s", c.variant, diff)
		}
	}
}
