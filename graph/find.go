package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// find returns the objects of ids, or why there is none, in their order. Those
// of one type and chain are read at once.
func (h *Handler) find(ctx context.Context, ids []globalID) ([]Node, []error) {
	type group struct {
		kind  string
		chain domain.Chain
	}
	groups := map[group][]int{}
	for i, id := range ids {
		of := group{id.Type, id.Chain}
		groups[of] = append(groups[of], i)
	}
	nodes, failed := make([]Node, len(ids)), make([]error, len(ids))
	for of, places := range groups {
		keys := convert(places, func(i int) string { return ids[i].Key })
		found, err := h.findOf(ctx, of.kind, of.chain, keys)
		for n, i := range places {
			switch {
			case err != nil:
				failed[i] = err
			case found[n] == nil:
				failed[i] = domain.Errorf(domain.CodeNotFound, "there is no such object in the index")
			default:
				nodes[i] = found[n]
			}
		}
	}
	return nodes, failed
}

// findOf reads objects of one type and chain.
func (h *Handler) findOf(ctx context.Context, kind string, c domain.Chain, keys []string) ([]Node, error) {
	p, err := h.of(c)
	if err != nil {
		return nil, err
	}
	switch kind {
	case chainType:
		return convert(keys, func(string) Node { return &Chain{ChainID: c} }), nil
	case blockType:
		ids := make([]chain.BlockID, len(keys))
		for i, key := range keys {
			if ids[i], err = chain.ParseBlockID(key); err != nil {
				return nil, err
			}
		}
		return asNodes(p.blocksByID(ctx, ids))
	case messageType:
		return asNodes(p.messagesByID(ctx, keys))
	}
	felts := make([]starknet.Felt, len(keys))
	for i, key := range keys {
		if felts[i], err = starknet.ParseFelt(key); err != nil {
			return nil, err
		}
	}
	switch kind {
	case transactionType:
		return asNodes(p.transactionsByHash(ctx, felts))
	case contractType:
		return asNodes(p.contracts(ctx, felts))
	case classType:
		return asNodes(p.classes(ctx, felts))
	case tokenType:
		return asNodes(p.tokens(ctx, felts))
	default:
		return asNodes(p.addresses(ctx, felts))
	}
}

// asNodes keeps nothing nothing.
func asNodes[T any, N interface {
	*T
	Node
}](found []N, err error) ([]Node, error) {
	nodes := make([]Node, len(found))
	for i, object := range found {
		if object != nil {
			nodes[i] = object
		}
	}
	return nodes, err
}

// check refuses an id whose type is not known or whose key is not spelled as
// its type spells it, so that one object has one id.
func (id globalID) check() error {
	switch id.Type {
	case chainType:
		if id.Key == "" {
			return nil
		}
	case messageType:
		if _, err := messageTx(id.Key); err == nil {
			return nil
		}
	case blockType, transactionType, contractType, classType, tokenType, addressType:
		if felt, err := starknet.ParseFelt(id.Key); err == nil && felt.String() == id.Key {
			return nil
		}
	}
	return domain.Errorf(domain.CodeInvalidRequest, "the id is of a type that is not known here")
}
