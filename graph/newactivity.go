package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/starknet"
)

// NewAddressActivity is a message of the stream of what happens to an address.
type NewAddressActivity struct {
	news
	Activity *AddressActivity
}

// AddressActivity follows what happens to an address.
func (r subscriptionResolver) AddressActivity(ctx context.Context, id domain.Chain, owner starknet.Felt, after *string) (<-chan *NewAddressActivity, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	return followFrom(ctx, p, after, nil, 5, p.activityFrom(owner))
}

func (p part) activityFrom(owner starknet.Felt) source[NewAddressActivity] {
	return func(ctx context.Context, t *tip, from domain.Position) (out found[NewAddressActivity], err error) {
		var batch domain.Batch[address.Item]
		err = p.h.reads(ctx, func(ctx context.Context) error {
			batch, err = p.h.Addresses.ActivityFrom(ctx, p.chain, owner, from, t.next, batchSize)
			return err
		})
		if err != nil {
			return out, err
		}
		page := slicesOf([]domain.Page[address.Item]{{Items: batch.Items}}, address.Item.Position, func(_ int, item address.Item) *AddressActivity {
			return &AddressActivity{part: p, item: &item}
		})[0]
		out.Next, out.at = batch.Next, page.at
		out.Items = convert(page.items, func(a *AddressActivity) *NewAddressActivity { return &NewAddressActivity{Activity: a} })
		return out, nil
	}
}
