package node

import (
	"context"
	"slices"

	"astrolabe/domain/chain"
)

// order returns the upstreams in the order in which a call tries them: healthy
// ones first, then those that failed last or asked for a pause, and those that lag
// behind.
//
// Reads start at each of the healthy ones in turn, so that all share the load;
// those of a caller that follows the head stay at the one that answered it last.
// Upstreams that lacked the block or a later one come after the others.
// Reads near the head start at the furthest one, because the others may still be
// on another fork; reads that belong to an earlier one start where that was
// answered. Writes start at the first as configured, because a node
// refuses a transaction whose predecessor another one has.
func (p *Pool) order(q query) []*upstream {
	p.surveyIfDue()
	now := p.options.clock.Now()
	var healthy, failing, behind []*upstream
	for _, u := range p.upstreams {
		switch {
		case q.block != nil && *q.block <= u.pruned.Load():
			failing = append(failing, u)
		case u.behind.Load():
			behind = append(behind, u)
		case !u.circuit.sound(), u.pacer.Paused(now) > 0:
			failing = append(failing, u)
		default:
			healthy = append(healthy, u)
		}
	}
	if first := p.first(q, healthy); first > 0 {
		healthy = slices.Concat(healthy[first:], healthy[:first])
	}
	return slices.Concat(healthy, failing, behind)
}

// first returns the index of the upstream at which a call starts.
func (p *Pool) first(q query, healthy []*upstream) int {
	if q.write || len(healthy) < 2 {
		return 0
	}
	prefer := func(u *upstream) bool { return u.name == q.prefer }
	if q.follows != "" {
		from := p.following.of(q.follows).from
		prefer = func(u *upstream) bool { return u == from }
	}
	if at := slices.IndexFunc(healthy, prefer); at >= 0 {
		return at
	}
	if lead := p.lead.Load(); q.near && lead != nil {
		if at := slices.Index(healthy, lead.from); at >= 0 {
			return at
		}
	}
	return int((p.reads.Add(1) - 1) % uint64(len(healthy)))
}

type preferKey struct{}

// prefer returns a context whose reads start at an upstream, so that answers that
// belong together come from the same one.
func prefer(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, preferKey{}, name)
}

// preferred returns the upstream of prefer; empty if there is none.
func preferred(ctx context.Context) string {
	name, _ := ctx.Value(preferKey{}).(string)
	return name
}

// near reports whether a call is about a block that a reorg may replace: one
// given by a tag, or by a number close to the head. A hash always means the same
// block.
func (p *Pool) near(params []any) bool {
	lead := p.lead.Load()
	if lead == nil {
		return false
	}
	for _, param := range params {
		if id, ok := param.(BlockID); ok {
			return id.hash == nil && (id.tag != "" || id.number != nil && *id.number+chain.FinalityDepth > lead.value.Number)
		}
	}
	return false
}
