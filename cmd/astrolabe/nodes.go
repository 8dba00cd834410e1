package main

import (
	"cmp"
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/gateway"
	"astrolabe/domain/token"
	"astrolabe/node"
)

// How many calls to the nodes of a chain are in flight at once: of a job such as
// the indexer, and of all requests to the API together.
const (
	jobCalls     = 16
	requestCalls = 64
)

// pools opens the upstream pool of every chain with nodes. The returned function
// closes them.
func (d *deployment) pools(nodes nodeSettings) (map[domain.Chain]*node.Pool, func(), error) {
	pools := make(map[domain.Chain]*node.Pool)
	closeAll := func() {
		for _, pool := range pools {
			pool.Close()
		}
	}
	for c, urls := range nodes.urls() {
		if len(urls) == 0 {
			continue
		}
		pool, err := d.openNode(c, urls, requestCalls)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		pools[c] = pool
	}
	return pools, closeAll, nil
}

// views opens the nodes for jobs.
func (d *deployment) views(nodes nodeSettings) (map[domain.Chain]token.Views, func(), error) {
	pools, closeAll, err := d.pools(nodes)
	views := make(map[domain.Chain]token.Views, len(pools))
	for c, pool := range pools {
		views[c] = pool.Source()
	}
	return views, closeAll, err
}

// stateNodes returns the nodes that answer reads of chain state.
func stateNodes(pools map[domain.Chain]*node.Pool) map[domain.Chain]chain.Node {
	states := make(map[domain.Chain]chain.Node, len(pools))
	for c, pool := range pools {
		states[c] = pool.Source()
	}
	return states
}

// gateways returns the JSON-RPC gateways of the chains that have nodes.
func gateways(pools map[domain.Chain]*node.Pool, quotas *account.Quotas, statuses *chain.Statuses) map[domain.Chain]*gateway.Gateway {
	all := make(map[domain.Chain]*gateway.Gateway, len(pools))
	for c, pool := range pools {
		all[c] = gateway.New(gateway.Options{
			Node: pool.Gateway(), Quotas: quotas, Now: time.Now,
			Accepted: func(ctx context.Context) (uint64, bool) {
				horizon, err := statuses.Horizon(ctx, c)
				if err != nil || horizon.L1 == nil {
					return 0, false
				}
				return *horizon.L1, true
			},
		})
	}
	return all
}

// nodeCaller names the caller of a request to the node pool: keys and sessions
// by their workspace, our own pages by their client. Jobs have no caller.
func nodeCaller(ctx context.Context) node.Caller {
	caller := account.CallerOf(ctx)
	if caller == nil || caller.Kind == account.ByInternal {
		return node.Caller{}
	}
	return node.Caller{
		Name:  cmp.Or(caller.Workspace, caller.Subject),
		Guest: caller.Kind == account.ByFirstParty,
	}
}
