package resolver

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/domain"
	"astrolabe/graph/cohort"
	"astrolabe/starknet"
)

// Node is an object with a global ID.
type Node interface {
	IsNode()
	ID() string
}

// globalID is the content of a Node's ID. Its text is opaque to clients and never
// changes for an object.
type globalID struct {
	Type  string
	Chain domain.Chain
	Key   string // empty for the chain itself
}

const (
	idSeparator = ":"
	maxIDText   = 256
)

// String writes the id.
func (id globalID) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(id.Type + idSeparator + string(id.Chain) + idSeparator + id.Key))
}

// parseGlobalID reads an ID in the canonical form that String writes.
func parseGlobalID(text string) (globalID, error) {
	malformed := domain.Errorf(domain.CodeInvalidRequest, "The ID is malformed. Pass IDs unchanged, as this API returned them.")
	if len(text) > maxIDText {
		return globalID{}, malformed
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return globalID{}, malformed
	}
	parts := strings.SplitN(string(raw), idSeparator, 3)
	if len(parts) != 3 {
		return globalID{}, malformed
	}
	chain, err := domain.ParseChain(parts[1])
	if err != nil {
		return globalID{}, malformed
	}
	id := globalID{Type: parts[0], Chain: chain, Key: parts[2]}
	if id.String() != text {
		return globalID{}, malformed
	}
	return id, nil
}

// Node returns an object by its global ID.
func (r *Query) Node(ctx context.Context, id string) (Node, error) {
	nodes, failed := r.resolver.nodes(ctx, []string{id})
	return nodes[0], failed[0]
}

// Nodes returns objects by their global IDs, in the order of the IDs.
func (r *Query) Nodes(ctx context.Context, ids []string) ([]Node, error) {
	nodes, failed := r.resolver.nodes(ctx, ids)
	for i, err := range failed {
		if err != nil {
			failed := gqlerror.WrapPath(append(graphql.GetPath(ctx), ast.PathIndex(i)), err)
			graphql.AddError(ctx, graphql.AddFieldLocationToError(ctx, failed))
		}
	}
	return nodes, nil
}

// nodes returns an object or an error for each global ID.
func (r *Resolver) nodes(ctx context.Context, texts []string) ([]Node, []error) {
	nodes, failed := make([]Node, len(texts)), make([]error, len(texts))
	var (
		ids    []globalID
		places []int
	)
	for i, text := range texts {
		id, err := parseGlobalID(text)
		if err == nil {
			err = id.check()
		}
		if err != nil {
			failed[i] = err
			continue
		}
		ids, places = append(ids, id), append(places, i)
	}
	found, absent := r.find(ctx, nil, ids)
	for n, i := range places {
		nodes[i], failed[i] = found[n], absent[n]
	}
	return nodes, failed
}

// find returns an object or an error for each ID. Objects of the same type and
// chain are read together.
func (r *Resolver) find(ctx context.Context, cache *cohort.Cache, ids []globalID) ([]Node, []error) {
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
		found, err := r.findOf(ctx, cache, of.kind, of.chain, keys)
		for n, i := range places {
			switch {
			case err != nil:
				failed[i] = err
			case found[n] == nil:
				failed[i] = domain.Errorf(domain.CodeNotFound, "The object is not indexed.")
			default:
				nodes[i] = found[n]
			}
		}
	}
	return nodes, failed
}

// findOf reads objects of one type and chain.
func (r *Resolver) findOf(ctx context.Context, cache *cohort.Cache, kind string, c domain.Chain, keys []string) ([]Node, error) {
	on, err := r.onChain(c)
	if err != nil {
		return nil, err
	}
	switch kind {
	case chainType:
		return convert(keys, func(string) Node { return &Chain{ChainID: c} }), nil
	case blockNumberType:
		numbers := make([]uint64, len(keys))
		for i, key := range keys {
			if numbers[i], err = strconv.ParseUint(key, 10, 64); err != nil {
				return nil, err
			}
		}
		return asNodes(on.blocksByNumber().all(ctx, cache, numbers))
	case messageType:
		return asNodes(on.messagesByID(ctx, cache, keys))
	}
	felts := make([]starknet.Felt, len(keys))
	for i, key := range keys {
		if felts[i], err = starknet.ParseFelt(key); err != nil {
			return nil, err
		}
	}
	switch kind {
	case blockType:
		return asNodes(on.blocksByHash().all(ctx, cache, felts))
	case transactionType:
		return asNodes(on.transactionsByHash().all(ctx, cache, felts))
	case contractType:
		return asNodes(on.contracts().all(ctx, cache, felts))
	case classType:
		return asNodes(on.classes().all(ctx, cache, felts))
	case tokenType:
		return asNodes(on.tokens().all(ctx, cache, felts))
	default:
		return asNodes(on.newAddresses(cache, felts), nil)
	}
}

// asNodes preserves nil.
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

// check rejects an ID with an unknown type or a key that is not in canonical form,
// so that an object has exactly one ID.
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
	return domain.Errorf(domain.CodeInvalidRequest, "The ID has an unknown type or a malformed key. Pass IDs unchanged, as this API returned them.")
}
