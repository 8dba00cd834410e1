package facts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/starknet"
)

var (
	pool     = felt(0x9001)
	user     = felt(0xaa)
	token    = felt(0xbb)
	tooLarge = starknet.MustFelt("0x100000000000000000000000000000000")                               // 2^128
	noPerson = starknet.MustFelt("0x800000000000000000000000000000000000000000000000000000000000000") // 2^251
)

// poolRow reads one event of the pool.
func poolRow(t *testing.T, at View, keys, data []starknet.Felt) PoolEvent {
	t.Helper()
	events := []Event{{TxIndex: 3, LogIndex: 4, Event: starknet.Event{FromAddress: pool, Keys: keys, Data: data}}}
	rows := PoolEvents(events, []starknet.Felt{felt(1), pool}, at)
	if len(rows) != 1 || rows[0].TxIndex != 3 || rows[0].LogIndex != 4 || rows[0].Pool != pool {
		t.Fatalf("got %+v, want one row of the pool at transaction 3, log 4", rows)
	}
	return rows[0]
}

// poolPayloads are well-formed events of all variants with the rows that they
// give, and whether the classes V1 and V2 declare them.
var poolPayloads = map[PoolVariant]struct {
	name       string
	keys, data []starknet.Felt
	want       PoolEvent
	v1, v2     bool
}{
	ViewingKeySet:              {"ViewingKeySet", felts(user, 5), felts(6, 7, 8), PoolEvent{Party: &user}, true, true},
	PoolDeposit:                {"Deposit", felts(user, token), felts(70), PoolEvent{Party: &user, Token: &token, Amount: number(70)}, true, true},
	PoolWithdrawal:             {"Withdrawal", felts(user, token), felts(6, 7, 8, 70), PoolEvent{Party: &user, Token: &token, Amount: number(70)}, true, true},
	OpenNoteCreated:            {"OpenNoteCreated", felts(token, 9), felts(6, 7, 8), PoolEvent{Token: &token, Note: pointer(felt(9))}, true, true},
	OpenNoteDeposited:          {"OpenNoteDeposited", felts(user, token, 9), felts(0), PoolEvent{Party: &user, Token: &token, Note: pointer(felt(9)), Amount: number(0)}, true, true},
	EncNoteCreated:             {"EncNoteCreated", felts(9), felts(10), PoolEvent{Note: pointer(felt(9))}, true, true},
	NoteUsed:                   {"NoteUsed", felts(9), nil, PoolEvent{Note: pointer(felt(9))}, true, true},
	ExternalContractInvoked:    {"ExternalContractInvoked", felts(user, 9), nil, PoolEvent{Party: &user}, false, true},
	AuditorPublicKeySet:        {"AuditorPublicKeySet", nil, felts(1), PoolEvent{}, true, true},
	ScreenerPublicKeySet:       {"ScreenerPublicKeySet", nil, felts(1), PoolEvent{}, false, true},
	FeeAmountSet:               {"FeeAmountSet", nil, felts(6), PoolEvent{Amount: number(6)}, true, true},
	FeeCollectorSet:            {"FeeCollectorSet", nil, felts(user), PoolEvent{Party: &user}, true, true},
	ProofValidityBlocksSet:     {"ProofValidityBlocksSet", nil, felts(450), PoolEvent{}, true, true},
	OpenNoteDepositorBlockSet:  {"OpenNoteDepositorBlockSet", felts(user), felts(1), PoolEvent{Party: &user}, false, true},
	OpenNoteScreeningPolicySet: {"OpenNoteScreeningPolicySet", felts(user), felts(2), PoolEvent{Party: &user}, false, false},
}

func TestEveryVariantIsReadAsItsClassDeclaresIt(t *testing.T) {
	t.Parallel()
	v1, v2 := simClass(t, "privacy_pool_v1"), simClass(t, "privacy_pool_v2")
	newer := abiClass(strings.Replace(screeningPolicyABI, "EVENT", "OpenNoteScreeningPolicySet", 1))
	for _, variant := range PoolVariants {
		c, known := poolPayloads[variant]
		if !known && variant != ProtocolEvent {
			t.Errorf("%s: got no payload in this test, want one", variant)
		}
		for _, class := range []struct {
			*Class
			declares bool
		}{{v1, c.v1}, {v2, c.v2}, {newer, variant == OpenNoteScreeningPolicySet}} {
			if !known {
				continue
			}
			want := c.want
			want.TxIndex, want.LogIndex, want.Pool, want.Variant, want.Reading = 3, 4, pool, variant, PoolRead
			if !class.declares {
				want.Reading, want.Amount = PoolMalformed, nil
				if len(c.keys) == 0 { // the fields are in the data
					want.Party = nil
				}
			}
			got := poolRow(t, always{Before: class.Class, After: class.Class}, append(felts(c.name), c.keys...), c.data)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", variant, diff)
			}
		}
	}
}

// screeningPolicyABI is the part of a later class that neither V1 nor V2 has.
const screeningPolicyABI = `[
	{"type": "enum", "name": "privacy::Policy", "variants": [{"name": "Required", "type": "()"}, {"name": "Exempt", "type": "()"}, {"name": "Delegated", "type": "()"}]},
	{"type": "event", "name": "privacy::Set", "kind": "struct", "members": [
		{"name": "depositor", "type": "core::starknet::contract_address::ContractAddress", "kind": "key"},
		{"name": "policy", "type": "privacy::Policy", "kind": "data"}]},
	{"type": "event", "name": "privacy::Event", "kind": "enum", "variants": [{"name": "EVENT", "type": "privacy::Set", "kind": "nested"}]}]`

func TestAPoolsMalformedEventKeepsTheFieldsOfItsKeys(t *testing.T) {
	t.Parallel()
	v2 := simClass(t, "privacy_pool_v2")
	at := always{Before: v2, After: v2}
	for name, c := range map[string]struct {
		keys, data []starknet.Felt
		want       PoolEvent
	}{
		"no amount":                   {felts("Deposit", user, token), nil, PoolEvent{Variant: PoolDeposit, Party: &user, Token: &token}},
		"an amount of 129 bits":       {felts("Deposit", user, token), felts(tooLarge), PoolEvent{Variant: PoolDeposit, Party: &user, Token: &token}},
		"data after the amount":       {felts("Deposit", user, token), felts(1, 2), PoolEvent{Variant: PoolDeposit, Party: &user, Token: &token}},
		"the amount at the wrong end": {felts("Withdrawal", user, token), felts(1, 6, 7), PoolEvent{Variant: PoolWithdrawal, Party: &user, Token: &token}},
		"a key too few":               {felts("Deposit", user), felts(1), PoolEvent{Variant: PoolDeposit}},
		"a key too many":              {felts("OpenNoteDeposited", user, token, 9, 9), felts(1), PoolEvent{Variant: OpenNoteDeposited}},
		"a token beyond addresses":    {felts("OpenNoteDeposited", user, noPerson, 9), felts(1), PoolEvent{Variant: OpenNoteDeposited}},
		"a fee of 129 bits":           {felts("FeeAmountSet"), felts(tooLarge), PoolEvent{Variant: FeeAmountSet}},
		"a collector beyond them":     {felts("FeeCollectorSet"), felts(noPerson), PoolEvent{Variant: FeeCollectorSet}},
		"a flag of 2":                 {felts("OpenNoteDepositorBlockSet", user), felts(2), PoolEvent{Variant: OpenNoteDepositorBlockSet, Party: &user}},
		"65 bits of blocks":           {felts("ProofValidityBlocksSet"), felts(tooLarge), PoolEvent{Variant: ProofValidityBlocksSet}},
		"data of a nullifier":         {felts("NoteUsed", 9), felts(1), PoolEvent{Variant: NoteUsed, Note: pointer(felt(9))}},
	} {
		c.want.TxIndex, c.want.LogIndex, c.want.Pool, c.want.Reading = 3, 4, pool, PoolMalformed
		if diff := cmp.Diff(c.want, poolRow(t, at, c.keys, c.data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestOtherEventsOfAPoolAreProtocolEvents(t *testing.T) {
	t.Parallel()
	v1 := simClass(t, "privacy_pool_v1")
	for name, keys := range map[string][]starknet.Felt{
		"a component's": felts("Paused"), "an unknown selector": felts("Nobody", "Deposit"), "no keys": nil, "a nested variant": felts("PrivacyEvent", "Deposit", user, token),
	} {
		want := PoolEvent{TxIndex: 3, LogIndex: 4, Pool: pool, Variant: ProtocolEvent, Reading: PoolRead}
		if diff := cmp.Diff(want, poolRow(t, always{Before: v1, After: v1}, keys, felts(1))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestEventsOfAnUnavailableClassAreUnread(t *testing.T) {
	t.Parallel()
	v1 := simClass(t, "privacy_pool_v1")
	for name, at := range map[string]View{
		"unknown":            unknown{},
		"missing":            always{Before: MissingClass(felt(7)), After: MissingClass(felt(7))},
		"without an ABI":     always{Before: StoredClass(felt(7), true, []byte("[{"), false)},
		"replaced by it":     always{Before: v1, After: MissingClass(felt(7))},
		"deployed with it":   always{After: MissingClass(felt(7))},
		"replaced by a good": always{Before: MissingClass(felt(7)), After: v1},
	} {
		for variant, keys := range map[PoolVariant][]starknet.Felt{PoolDeposit: felts("Deposit", user, token), ProtocolEvent: felts("Paused")} {
			want := PoolEvent{TxIndex: 3, LogIndex: 4, Pool: pool, Variant: variant, Reading: PoolUnread}
			if diff := cmp.Diff(want, poolRow(t, at, keys, felts(1))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

func TestClassesBeforeAndAfterTheBlockMustAgree(t *testing.T) {
	t.Parallel()
	v1, v2, other := simClass(t, "privacy_pool_v1"), simClass(t, "privacy_pool_v2"), simClass(t, "erc20_keyed")
	for name, c := range map[string]struct {
		at      always
		event   string
		data    []starknet.Felt
		reading PoolReading
	}{
		"both declare it":             {always{Before: v1, After: v2}, "Deposit", felts(1), PoolRead},
		"only the later declares it":  {always{Before: v1, After: v2}, "ExternalContractInvoked", nil, PoolMalformed},
		"only the former declares it": {always{Before: v2, After: other}, "Deposit", felts(1), PoolMalformed},
		"deployed in the block":       {always{After: v2}, "ExternalContractInvoked", nil, PoolRead},
	} {
		if got := poolRow(t, c.at, felts(c.event, user, token), c.data); got.Reading != c.reading {
			t.Errorf("%s: got %s, want %s", name, got.Reading, c.reading)
		}
	}
}

func TestADeclarationOfAnotherLayoutReadsNothing(t *testing.T) {
	t.Parallel()
	const address, u128, u256 = "core::starknet::contract_address::ContractAddress", "core::integer::u128", "core::integer::u256"
	member := func(name, kind, of string) string {
		return `{"name": "` + name + `", "type": "` + of + `", "kind": "` + kind + `"}`
	}
	deposit := func(members ...string) *Class {
		return abiClass(`[{"type": "event", "name": "p::D", "kind": "struct", "members": [` + strings.Join(members, ",") + `]},
			{"type": "event", "name": "p::Event", "kind": "enum", "variants": [{"name": "Deposit", "type": "p::D", "kind": "nested"}]}]`)
	}
	layout := []string{member("user_addr", "key", address), member("token", "key", address), member("amount", "data", u128)}
	twice := abiClass(`[{"type": "event", "name": "p::D", "kind": "struct", "members": [` + strings.Join(layout, ",") + `]},
		{"type": "event", "name": "p::E", "kind": "struct", "members": [` + strings.Join(layout[:2], ",") + `]},
		{"type": "event", "name": "p::Event", "kind": "enum", "variants": [
			{"name": "Deposit", "type": "p::E", "kind": "nested"}, {"name": "Deposit", "type": "p::D", "kind": "nested"}]}]`)
	for name, c := range map[string]struct {
		class   *Class
		reading PoolReading
	}{
		"two layouts":         {twice, PoolMalformed},
		"the layout":          {deposit(member("user_addr", "key", address), member("token", "key", address), member("amount", "data", u128)), PoolRead},
		"keys exchanged":      {deposit(member("token", "key", address), member("user_addr", "key", address), member("amount", "data", u128)), PoolMalformed},
		"an amount of u256":   {deposit(member("user_addr", "key", address), member("token", "key", address), member("amount", "data", u256)), PoolMalformed},
		"an unresolved type":  {deposit(member("user_addr", "key", address), member("token", "key", address), member("amount", "data", "p::Nothing")), PoolMalformed},
		"a token in the data": {deposit(member("user_addr", "key", address), member("token", "data", address), member("amount", "data", u128)), PoolMalformed},
	} {
		if got := poolRow(t, always{After: c.class}, felts("Deposit", user, token), felts(70)); got.Reading != c.reading {
			t.Errorf("%s: got %s, want %s", name, got.Reading, c.reading)
		}
	}
}

func TestEventsOfOtherContractsAreNoPoolEvents(t *testing.T) {
	t.Parallel()
	v1 := simClass(t, "privacy_pool_v1")
	events := []Event{{Event: starknet.Event{FromAddress: token, Keys: felts("Deposit", user, token), Data: felts(1)}}}
	if rows := PoolEvents(events, []starknet.Felt{pool}, always{Before: v1, After: v1}); rows != nil {
		t.Errorf("got %+v, want no rows", rows)
	}
}
