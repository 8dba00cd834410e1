package node

import (
	"context"
	"encoding/json"
	"fmt"

	"astrolabe/domain/indexing"
	"astrolabe/node/wire"
	"astrolabe/starknet"
)

// unanimous reads a felt of the state after a block, which no hash proves, from
// every upstream. Those that have the block must agree, or it returns
// indexing.ErrInconsistent. It returns false if the contract did not exist.
func (s Source) unanimous(ctx context.Context, at starknet.Felt, method string, args ...any) (value starknet.Felt, exists bool, err error) {
	if s.pool.Upstreams() == 1 {
		value, err = ask(ctx, s.pool, method, args, wire.DecodeFelt)
		if hasCode(err, contractNotFound) {
			return starknet.Felt{}, false, nil
		}
		return value, err == nil, judgeAt(at, err)
	}
	params, err := json.Marshal(args)
	if err != nil {
		return value, false, err
	}
	answers, err := askAll(ctx, s.pool, 1, query{method: method, params: params}, wire.DecodeFelt)
	if err != nil {
		return value, false, judge(err)
	}
	var first *answer[starknet.Felt]
	for i := range answers {
		a := &answers[i]
		switch {
		case a.err != nil && !hasCode(a.err, contractNotFound):
		case first == nil:
			first = a
		case a.value != first.value || (a.err == nil) != (first.err == nil):
			return value, false, fmt.Errorf("%w: %s%s: %s answers %s, %s answers %s",
				indexing.ErrInconsistent, method, params, first.from.name, said(first), a.from.name, said(a))
		}
	}
	if first == nil {
		return value, false, judgeAt(at, failure(answers))
	}
	return first.value, first.err == nil, nil
}

func said(a *answer[starknet.Felt]) string {
	if a.err != nil {
		return "that there is no contract"
	}
	return a.value.String()
}
