package address

import (
	"context"
	"math"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Item is one activity of an address.
type Item struct {
	Place
	Timestamp time.Time
	TxHash    starknet.Felt
	Kind      Kind
	// Counterparty is the other party of a transfer, zero for mints and burns;
	// the first contract that a sent transaction calls or deploys; the sender
	// of a received one; the deployer. It is nil if unknown or the address
	// itself.
	Counterparty *starknet.Felt
	Token        *starknet.Felt // of a transfer
	Amount       *domain.Amount // of a transfer, but not of an ERC-721 token
	TokenID      *domain.Amount // of a transfer, but not of an ERC-20 token
}

// Place is the position of an item in the activity of an address. Positions are
// ordered by their fields, in this order, and are unique per address.
type Place struct {
	chain.TxPlace
	Step     Step
	LogIndex int // of a transfer, as TransferIndex; zero otherwise
	Index    int
}

// Step orders the items of one address within one transaction: the transaction
// itself, deployments and upgrades, then its transfers in event order.
type Step int

// The steps.
const (
	StepSent Step = iota
	StepReceived
	StepDeployed
	StepUpgraded
	StepTransfer
)

// newest is above every place.
var newest = Place{TxPlace: chain.TxPlace{Block: math.MaxInt32, Tx: math.MaxInt16}, Step: StepTransfer, LogIndex: math.MaxInt16, Index: math.MaxInt16}

// Activity returns a page of the activity of each address, the newest item
// first: one item for each transfer and for each other kind of a transaction.
func (a *Addresses) Activity(ctx context.Context, c domain.Chain, owners []starknet.Felt, page domain.PageRequest) ([]domain.Page[Item], error) {
	after, err := placeOf(page.After)
	if err != nil {
		return nil, err
	}
	return spread(owners, func(owners []starknet.Felt) ([]domain.Page[Item], error) {
		found, err := a.store.ActivityOf(ctx, c, owners, after, page.Limit+1)
		if err != nil {
			return nil, err
		}
		pages := make([]domain.Page[Item], len(owners))
		for i, owner := range owners {
			pages[i] = domain.CutPage(itemsOf(owner, found[i], after), page.Limit, Item.Position)
		}
		return pages, nil
	})
}

// placeOf reads the position that a page follows.
func placeOf(p domain.Position) (Place, error) {
	if p == nil {
		return newest, nil
	}
	if err := checkPosition(p, math.MaxInt32, math.MaxInt16, uint64(StepTransfer), math.MaxInt16, math.MaxInt16); err != nil {
		return Place{}, err
	}
	return Place{chain.TxPlace{Block: p[0], Tx: int(p[1])}, Step(p[2]), int(p[3]), int(p[4])}, nil //nolint:gosec // They were checked.
}

// Position is the place of an item in the activity of its address.
func (i Item) Position() domain.Position {
	return domain.Position{i.Block, uint64(i.Tx), uint64(i.Step), uint64(i.LogIndex), uint64(i.Index)} //nolint:gosec // Places are not negative.
}

// TransferIndexes returns the index of a transfer's event and of the transfer
// in it, nil for other activity.
func (i *Item) TransferIndexes() (log, transfer *int) {
	if i.Step != StepTransfer {
		return nil, nil
	}
	return &i.LogIndex, &i.Index
}

// itemsOf expands the transactions of an address, which are ordered, into the
// items that follow a place.
func itemsOf(owner starknet.Felt, found []Involvement, after Place) []Item {
	var items []Item
	for i := range found {
		for _, item := range found[i].items(owner) {
			if item.below(after) {
				items = append(items, item)
			}
		}
	}
	return items
}

func (p Place) below(q Place) bool {
	switch {
	case p.Block != q.Block:
		return p.Block < q.Block
	case p.Tx != q.Tx:
		return p.Tx < q.Tx
	case p.Step != q.Step:
		return p.Step < q.Step
	case p.LogIndex != q.LogIndex:
		return p.LogIndex < q.LogIndex
	}
	return p.Index < q.Index
}

// items returns the activity of an address in the transaction, the last item
// first.
func (v *Involvement) items(owner starknet.Felt) []Item {
	items := make([]Item, 0, len(v.Transfers)+1)
	for i := range v.Transfers {
		items = append(items, v.moved(owner, &v.Transfers[i]))
	}
	for _, other := range []struct {
		bit  facts.Kinds
		kind Kind
		step Step
		side func() *starknet.Felt
	}{
		{facts.ContractUpgraded, Upgraded, StepUpgraded, func() *starknet.Felt { return nil }},
		{facts.ContractDeployed, Deployed, StepDeployed, func() *starknet.Felt { return v.Deployer }},
		{facts.TxReceived, TxReceived, StepReceived, func() *starknet.Felt { return v.Transaction.Sender }},
		{facts.TxSent, TxSent, StepSent, v.called},
	} {
		if v.Kinds&other.bit != 0 {
			items = append(items, v.item(other.kind, Place{TxPlace: v.TxPlace, Step: other.step}, another(owner, other.side())))
		}
	}
	return items
}

func (v *Involvement) item(kind Kind, place Place, counterparty *starknet.Felt) Item {
	return Item{Place: place, Timestamp: v.Timestamp, TxHash: v.Transaction.Hash, Kind: kind, Counterparty: counterparty}
}

// moved is the item of a transfer.
func (v *Involvement) moved(owner starknet.Felt, t *facts.Transfer) Item {
	kind, side := TransferIn, &t.From
	switch t.From {
	case t.To:
		kind = TransferSelf
	case owner:
		kind, side = TransferOut, &t.To
	}
	item := v.item(kind, Place{v.TxPlace, StepTransfer, t.LogIndex, t.Index}, another(owner, side))
	item.Token, item.Amount, item.TokenID = &t.Token, amount(t.Amount), amount(t.TokenID)
	return item
}

// another returns the other side of an item, if there is one.
func another(owner starknet.Felt, side *starknet.Felt) *starknet.Felt {
	if side == nil || *side == owner {
		return nil
	}
	return side
}

func amount(n *starknet.Uint256) *domain.Amount {
	if n == nil {
		return nil
	}
	return new(domain.AmountFromBig(n.Big()))
}
