package facts

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"astrolabe/starknet"
)

// ActivityVersion is the version of Activities.
const ActivityVersion = 2

// The events that contracts emit when their class is replaced.
var upgraded, implementationReplaced = starknet.Selector("Upgraded"), starknet.Selector("ImplementationReplaced")

// Activities returns the activity of each address in each transaction, by
// address and transaction:
//
//   - TxSent for the account that sent it;
//   - TxReceived for every contract that it calls: those of the account's
//     calls, and that of a version 0 invoke or L1 handler. An account that
//     calls itself is the sender, not a receiver. Whether the transaction was
//     reverted makes no difference;
//   - TransferIn, TransferOut or TransferSelf for the two sides of a transfer;
//   - ContractDeployed for a contract whose deploying transaction is known;
//   - ContractUpgraded for a contract whose class the state update says was
//     replaced. It names no transaction: it is the last one in which the
//     contract said so, else the only successful one that the contract sent,
//     was called by or emitted an event in. Where there are several, or none,
//     the transaction cannot be told and has no such mark.
//
// Every transfer counts as an item, a transfer to oneself once; any other kind
// is one item, however often a contract is called. The zero address of mints
// and burns has no activity.
func Activities(txs []Transaction, transfers []Transfer, deployments []Deployment, changes []ClassChange, events []Event) []Activity {
	marks := make(marks, 0, 3*len(txs)+2*len(transfers)+len(deployments))
	for i := range txs {
		marks.transaction(&txs[i])
	}
	for i := range transfers {
		switch t := &transfers[i]; t.From {
		case t.To:
			marks.add(&t.From, t.TxIndex, TransferSelf)
		default:
			marks.add(&t.From, t.TxIndex, TransferOut)
			marks.add(&t.To, t.TxIndex, TransferIn)
		}
	}
	for i := range deployments {
		if d := &deployments[i]; d.TxIndex != nil {
			marks.add(&d.Address, *d.TxIndex, ContractDeployed)
		}
	}
	marks.upgrades(txs, changes, events)
	return marks.merge()
}

// mark is one activity of an address in a transaction.
type mark struct {
	order   uint64 // first bytes of the address, which distinguish most marks
	address *starknet.Felt
	tx      int32
	kind    Kinds
}

type marks []mark

func (m *marks) add(address *starknet.Felt, tx int, kind Kinds) {
	if !address.IsZero() {
		*m = append(*m, mark{binary.BigEndian.Uint64(address[:]), address, int32(tx), kind}) //nolint:gosec // An index within a block.
	}
}

func (m *marks) transaction(tx *Transaction) {
	if tx.Sender != nil {
		m.add(tx.Sender, tx.Index, TxSent)
	}
	switch tx.Type {
	case starknet.L1Handler:
		m.add(tx.Contract, tx.Index, TxReceived)
	case starknet.Invoke:
		if tx.Version == 0 {
			m.add(tx.Contract, tx.Index, TxReceived)
			return
		}
		form, n := formOf(tx)
		if form == unknownForm {
			return
		}
		form.read(tx.Calldata, n, func(to, _ *starknet.Felt, _ []starknet.Felt) {
			if *to != *tx.Sender {
				m.add(to, tx.Index, TxReceived)
			}
		})
	}
}

// upgrades marks the upgraded contracts. It must run after the other marks.
func (m *marks) upgrades(txs []Transaction, changes []ClassChange, events []Event) {
	replaced := map[starknet.Felt]*replacement{}
	for i := range changes {
		if changes[i].Origin == Replaced {
			replaced[changes[i].Address] = new(replacement)
		}
	}
	if len(replaced) == 0 {
		return
	}
	reverted := map[int]bool{}
	for i := range txs {
		reverted[txs[i].Index] = txs[i].Reverted
	}
	for _, known := range *m {
		if r := replaced[*known.address]; r != nil && known.kind&(TxSent|TxReceived) != 0 && !reverted[int(known.tx)] {
			r.touch(int(known.tx))
		}
	}
	for i := range events {
		if r := replaced[events[i].FromAddress]; r != nil {
			r.touch(events[i].TxIndex)
			if keys := events[i].Keys; len(keys) > 0 && (keys[0] == upgraded || keys[0] == implementationReplaced) {
				r.said = &events[i].TxIndex
			}
		}
	}
	for i := range changes {
		if r := replaced[changes[i].Address]; r != nil && changes[i].Origin == Replaced {
			if tx := r.transaction(); tx != nil {
				m.add(&changes[i].Address, *tx, ContractUpgraded)
			}
		}
	}
}

// replacement collects the transactions that may have replaced a contract's
// class.
type replacement struct {
	said    *int // the last one with an upgrade event of the contract
	touched *int // one that has to do with the contract
	several bool // that is not the only one
}

func (r *replacement) touch(tx int) {
	r.several = r.several || r.touched != nil && *r.touched != tx
	r.touched = &tx
}

// transaction returns the transaction, nil if it is unknown.
func (r *replacement) transaction() *int {
	switch {
	case r.said != nil:
		return r.said
	case r.several:
		return nil
	}
	return r.touched
}

// merge puts the marks in order and those of one address and transaction
// together.
func (m marks) merge() []Activity {
	slices.SortFunc(m, compareMarks)
	rows := 0
	for i := range m {
		if i == 0 || compareMarks(m[i-1], m[i]) != 0 {
			rows++
		}
	}
	list := make([]Activity, 0, rows)
	for i := range m {
		if i == 0 || compareMarks(m[i-1], m[i]) != 0 {
			list = append(list, Activity{Address: *m[i].address, TxIndex: int(m[i].tx)})
		}
		list[len(list)-1].count(m[i].kind)
	}
	return list
}

func compareMarks(a, b mark) int {
	if a.order != b.order {
		return cmp.Compare(a.order, b.order)
	}
	if a.address != b.address {
		if order := bytes.Compare(a.address[:], b.address[:]); order != 0 {
			return order
		}
	}
	return cmp.Compare(a.tx, b.tx)
}

// count adds a kind. A second transfer is another item, a second call is not.
func (a *Activity) count(kind Kinds) {
	if kind&(TransferIn|TransferOut|TransferSelf) != 0 {
		a.Items++
	} else {
		a.Items += bits.OnesCount16(uint16(kind &^ a.Kinds))
	}
	a.Kinds |= kind
}
