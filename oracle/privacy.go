package oracle

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// privacyPools are the pools of each chain.
var privacyPools = map[string]starknet.Felt{
	"SN_MAIN":    felt("0x040337b1af3c663e86e333bab5a4b28da8d4652a15a69beee2b677776ffe812a"),
	"SN_SEPOLIA": felt("0x0254a6b2997ef52e9f830ce1f543f6b29768295e8d17e2267d672c552cfe0d91"),
}

// strk is the token of fees.
var strk = felt("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d")

// poolForms are the events of pools: name, selector, then the types in the keys
// after the selector and in the data. A type may say what the field is. The order
// is that of lists of names.
var poolForms = poolFormsOf(`
	ViewingKeySet | 0x1321a492485b4f19851fb787ab3800a0030b595332cba93cd5fe40dfb5a4daf | party:address felt | felt felt felt
	Deposit | 0x9149d2123147c5f43d258257fef0b7b969db78269369ebcf5ebb9eef8592f2 | party:address token:address | amount:u128
	Withdrawal | 0x2eed7e29b3502a726faf503ac4316b7101f3da813654e8df02c13449e03da8 | party:address token:address | felt felt felt amount:u128
	OpenNoteCreated | 0x22330482fd296a27cf9096807b4a3622cd619d31cce42c1e55655914e8459ee | token:address note:felt | felt felt felt
	OpenNoteDeposited | 0x25b6da03c4858d11cb0708d5cb6be79b190fb32eb7a7ce83804e07cbbb9bead | party:address token:address note:felt | amount:u128
	EncNoteCreated | 0x23c20207be8b1ef4430c25eef8ce779c9745ebe04139555ae81bd4f8fdd6ec5 | note:felt | felt
	NoteUsed | 0x247fc60d782e0094e7f98c47f277d92a3345d07a436f1f56b27a9b62be2322e | note:felt |
	ExternalContractInvoked | 0xa8fb36d0894f5e87797c38533a55c4486a1f35e9e9eced10f995b9639a8955 | party:address felt |
	AuditorPublicKeySet | 0x1201d99a15f3d88fe402ca349f486e5d3f92bd6bf41c0990d74b48c0f7b2ea1 | | felt
	ScreenerPublicKeySet | 0x24a3c770102a21d765f1e5478b480aeb39ebc6f0a158cef07e722d74564009f | | felt
	FeeAmountSet | 0x3a71cae33f889d328d50250566d1f55971af0792b89c5b3f5fbea1f7aafc4d7 | | amount:u128
	FeeCollectorSet | 0x125aaf53a346c4e00244d4b9b35ef8366df1831e45931cd22d8d0211eea7347 | | party:address
	ProofValidityBlocksSet | 0x35ded6c81008684ea271437e09bf788dda262449efb89b0ef0ad492e0a81381 | | u64
	OpenNoteDepositorBlockSet | 0x1559ab4cffe5da273f7b9a981d025ee6ff6661f7b6f12f5e5e45c66b7a70b83 | party:address | bool
	OpenNoteScreeningPolicySet | 0xd341147ad7bc871a2e71db5882eefeaf935d28c361c507656bf3acd043424b | party:address | policy`)

// protocolEvent names every other event of a pool.
const protocolEvent = "protocol_event"

type poolForm struct {
	name       string // snake_case
	selector   starknet.Felt
	keys, data []string
}

func poolFormsOf(table string) (forms []poolForm) {
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		columns := strings.Split(line, "|")
		forms = append(forms, poolForm{
			snake(strings.TrimSpace(columns[0])), felt(strings.TrimSpace(columns[1])), strings.Fields(columns[2]), strings.Fields(columns[3]),
		})
	}
	return forms
}

// poolLimits are the least numbers that are not of a type.
var poolLimits = map[string]*big.Int{
	"address": power2(251), "u128": power2(128), "u64": power2(64), "bool": big.NewInt(2), "policy": big.NewInt(3),
}

func power2(bits uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), bits) }

// fits reads felts of a form by what they are; false if they do not fit.
func fits(form []string, felts []starknet.Felt) (fields map[string]starknet.Felt, ok bool) {
	if len(form) != len(felts) {
		return nil, false
	}
	fields = map[string]starknet.Felt{}
	for i, text := range form {
		is, kind, named := strings.Cut(text, ":")
		if !named {
			is, kind = "", text
		}
		if limit := poolLimits[kind]; limit != nil && felts[i].Big().Cmp(limit) >= 0 {
			return nil, false
		}
		fields[is] = felts[i]
	}
	return fields, true
}

// poolEvent is an event of a pool.
type poolEvent struct {
	emission
	name              string
	unread, malformed bool
	fields            map[string]starknet.Felt // that could be read
	fees              []poolFee                // that belong to it
}

func (e *poolEvent) field(name string) *starknet.Felt {
	if value, ok := e.fields[name]; ok {
		return &value
	}
	return nil
}

// amount is nil where there is none.
func (e *poolEvent) amount() *big.Int {
	if value := e.field("amount"); value != nil {
		return value.Big()
	}
	return nil
}

func (e *poolEvent) isFlow() bool { return e.isDeposit() || e.name == "withdrawal" }

func (e *poolEvent) isDeposit() bool { return e.name == "deposit" || e.name == "open_note_deposited" }

// wallet is who set a viewing key; nil for another event.
func (e *poolEvent) wallet() *starknet.Felt {
	if e.name != "viewing_key_set" || e.malformed || e.unread {
		return nil
	}
	return e.field("party")
}

// cursor is the place of an event as text.
func (e *poolEvent) cursor() string {
	return fmt.Sprintf("%d:%d:%d", e.block.BlockNumber, e.index, e.log)
}

// poolEvents reads all events of the pool, from the oldest.
func (m *Model) poolEvents() (list []*poolEvent) {
	for _, t := range m.txs {
		for log := range t.Receipt.Events {
			if e := &t.Receipt.Events[log]; e.FromAddress == privacyPools[m.Chain] {
				list = append(list, m.poolEvent(emission{t, log}, e))
			}
		}
	}
	m.charge(list)
	return list
}

func (m *Model) poolEvent(at emission, e *starknet.Event) *poolEvent {
	read := &poolEvent{emission: at, name: protocolEvent}
	form := slices.IndexFunc(poolForms, func(f poolForm) bool { return len(e.Keys) > 0 && e.Keys[0] == f.selector })
	if form >= 0 {
		read.name = poolForms[form].name
	}
	classes := m.around(e.FromAddress, at.block)
	read.unread = len(classes) == 0 || slices.ContainsFunc(classes, func(class starknet.Felt) bool { return m.Classes[class] == nil })
	if form < 0 || read.unread {
		return read
	}
	read.malformed = slices.ContainsFunc(classes, func(class starknet.Felt) bool {
		return !slices.ContainsFunc(m.Classes[class].Events(), func(l *abi.EventLayout) bool { return l.Selectors[0] == e.Keys[0] })
	})
	keys, keysFit := fits(poolForms[form].keys, e.Keys[1:])
	data, dataFits := fits(poolForms[form].data, e.Data)
	read.fields = keys
	if read.malformed = read.malformed || !keysFit || !dataFits; !read.malformed {
		for name, value := range data {
			read.fields[name] = value
		}
	}
	return read
}

// poolFee is a fee with the settings that prove it.
type poolFee struct {
	paid              transfer
	collector, amount *poolEvent
}

// charge finds the fees of a pool's events, which come from the oldest: transfers
// of STRK to the collector in force, of the amount in force, each with the first
// event that follows it in its transaction.
func (m *Model) charge(events []*poolEvent) {
	for i, e := range events {
		after := -1 // the previous event of the pool in the transaction
		if i > 0 && events[i-1].tx == e.tx {
			after = events[i-1].log
		}
		for _, paid := range e.transfers {
			if paid.log <= after || paid.log >= e.log || paid.token != strk || paid.standard != "erc20" {
				continue
			}
			var collector, amount *poolEvent
			for _, before := range events[:i] {
				switch before.name {
				case "fee_collector_set":
					collector = before
				case "fee_amount_set":
					amount = before
				}
			}
			if isFee(paid, collector, amount) {
				e.fees = append(e.fees, poolFee{paid, collector, amount})
			}
		}
	}
}

// isFee reports whether the settings in force, nil where there is none, prove
// that a transfer is a fee.
func isFee(paid transfer, collector, amount *poolEvent) bool {
	if collector == nil || amount == nil {
		return false
	}
	to, value := collector.field("party"), amount.amount()
	return to != nil && value != nil && value.Sign() > 0 && paid.movement.to == *to && paid.amount.Cmp(value) == 0
}

func (f poolFee) body() object {
	return object{
		"tokenAddress": f.paid.token.String(), "amountRaw": f.paid.amount.String(), "collectorAddress": f.paid.movement.to.String(),
		"transferLogIndex": f.paid.log, "transferIndex": f.paid.place,
		"feeCollectorConfig": f.collector.place(), "feeAmountConfig": f.amount.place(),
	}
}

func (e *poolEvent) place() object {
	return object{"blockNumber": e.block.BlockNumber, "txIndex": e.index, "logIndex": e.log}
}

// poolFees sums and counts the fees of events.
func poolFees(events []*poolEvent) (sum *big.Int, count int) {
	sum = new(big.Int)
	for _, e := range events {
		for _, f := range e.fees {
			sum.Add(sum, f.paid.amount)
			count++
		}
	}
	return sum, count
}
