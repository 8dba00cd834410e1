package node

import (
	"context"
	"encoding/json"
	"fmt"
)

// ask sends a read and decodes its result. If decode rejects the result, that
// is a fault of the upstream, and the next one is tried. Response flags are sent
// as the last parameter to upstreams that know them.
func ask[T any](ctx context.Context, p *Pool, method string, params []any, decode func([]byte) (T, error), flags ...string) (T, error) {
	var value, none T
	raw, err := json.Marshal(params)
	if err != nil {
		return none, fmt.Errorf("node: %s: %w", method, err)
	}
	q := query{method: method, params: raw, near: p.near(params), prefer: preferred(ctx), accept: func(result json.RawMessage) (err error) {
		value, err = decode(result)
		return err
	}}
	if len(flags) > 0 {
		if q.flagged, err = json.Marshal(append(params, flags)); err != nil {
			return none, fmt.Errorf("node: %s: %w", method, err)
		}
	}
	_, err = p.call(ctx, q)
	if err != nil {
		return none, fmt.Errorf("%s: %w", method, err)
	}
	return value, nil
}
