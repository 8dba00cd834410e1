package address

import (
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// ActivityFrom returns the oldest activity of an address from a position on,
// up to but without the block end, the oldest item first.
func (a *Addresses) ActivityFrom(ctx context.Context, c domain.Chain, owner starknet.Felt, from domain.Position, end uint64, limit int) (domain.Batch[Item], error) {
	place, err := placeOf(from)
	if err != nil {
		return domain.Batch[Item]{}, err
	}
	if place.Block >= end {
		return domain.Batch[Item]{Next: from}, nil
	}
	found, err := a.store.ActivityFrom(ctx, c, []starknet.Felt{owner}, place, limit+1)
	if err != nil {
		return domain.Batch[Item]{}, err
	}
	var items []Item
	for i := range found[0] {
		if found[0][i].Block >= end {
			break
		}
		for _, item := range slices.Backward(found[0][i].items(owner)) {
			if !item.below(place) {
				items = append(items, item)
			}
		}
	}
	return domain.CutBatch(items, limit, Item.Position, domain.Position{end, 0, 0, 0, 0}), nil
}
