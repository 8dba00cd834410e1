package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/gateway"
	"astrolabe/domain/token"
	"astrolabe/node"
	"astrolabe/node/pace"
	"astrolabe/telemetry"
)

// How many calls to the nodes of a chain are in flight at once: of a job such as
// the indexer, and of all requests to the API together.
const (
	jobCalls     = 16
	requestCalls = 64
)

// nodeUse says how a pool of nodes is used.
type nodeUse struct {
	calls int
	wait  bool // calls wait for rate limits
}

// The uses of nodes: by the indexer and commands, by background jobs, and by
// requests to the API, which have no time to wait.
var (
	jobUse     = nodeUse{jobCalls, true}
	workUse    = nodeUse{requestCalls, true}
	requestUse = nodeUse{requestCalls, false}
)

// nodeSettings configure the Starknet nodes.
type nodeSettings struct {
	NodeMain       []secretText `help:"JSON-RPC URLs of SN_MAIN nodes, separated by commas. URLs that may hold an API key are never printed; pass them through the environment." placeholder:"URL"`
	NodeSepolia    []secretText `help:"JSON-RPC URLs of SN_SEPOLIA nodes." placeholder:"URL"`
	NodeHeader     []secretText `help:"Header that is sent to all nodes, such as 'Authorization: Bearer KEY', or only to one host: 'node.example=x-api-key: KEY'. Repeat the flag, or separate headers by line breaks. Never printed; pass it through the environment or a file." sep:"none" placeholder:"HEADER"`
	NodeHeaderFile string       `help:"Read the headers for nodes from this file, one per line. Lines that start with # are skipped." type:"path" placeholder:"FILE"`
	NodeRPS        float64      `name:"node-rps" help:"Maximum number of calls per second to each node from this process. 0 sets no maximum; the process then adapts to the rate limit of each node." default:"0"`
}

// checkNodes checks the settings. It sends nothing.
func (s nodeSettings) checkNodes() error {
	if s.NodeRPS < 0 {
		return errors.New("--node-rps must not be negative")
	}
	headers, err := s.headers()
	if err != nil {
		return err
	}
	var all []secretText
	for chain, urls := range s.urls() {
		for i, u := range urls {
			if slices.Contains(urls[:i], u) { // one node is not two for a quorum
				return fmt.Errorf("a node of %s is given twice", chain)
			}
		}
		if _, err := s.upstreams(chain); err != nil {
			return err
		}
		all = append(all, urls...)
	}
	for _, h := range headers {
		if len(all) > 0 && !slices.ContainsFunc(all, func(u secretText) bool { return h.For(string(u)) }) {
			return fmt.Errorf("--node-header: no node URL has the host %s", h.Host)
		}
	}
	return nil
}

// headers reads the headers. Errors do not contain their values.
func (s nodeSettings) headers() (headers []node.Header, err error) {
	texts := make([]string, 0, len(s.NodeHeader)+1)
	for _, text := range s.NodeHeader {
		texts = append(texts, string(text))
	}
	if s.NodeHeaderFile != "" {
		content, err := os.ReadFile(s.NodeHeaderFile)
		if err != nil {
			return nil, usageError{fmt.Errorf("--node-header-file: %w", err)}
		}
		texts = append(texts, string(content))
	}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			header, err := node.ParseHeader(line)
			if err != nil {
				return nil, usageError{fmt.Errorf("--node-header: %w", err)}
			}
			headers = append(headers, header)
		}
	}
	return headers, nil
}

// upstreams returns the number of nodes of a chain, or why they cannot be used.
func (s nodeSettings) upstreams(chain domain.Chain) (int, error) {
	if len(s.urls()[chain]) == 0 {
		return 0, nil
	}
	pool, err := s.open(chain, node.Options{}) // it sends no request
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	return pool.Upstreams(), nil
}

// quorum refuses a quorum that the nodes of a chain cannot reach. A simulated chain
// has one node.
func (s nodeSettings) quorum(required int, simulated ...domain.Chain) error {
	for _, chain := range domain.Chains {
		n, err := s.upstreams(chain)
		if err != nil {
			return err
		}
		if n == 0 && slices.Contains(simulated, chain) {
			n = 1
		}
		if n > 0 && n < required {
			return fmt.Errorf("--node-quorum is %d, but the number of nodes of %s is %d", required, chain, n)
		}
	}
	return nil
}

func (s nodeSettings) urls() map[domain.Chain][]secretText {
	return map[domain.Chain][]secretText{domain.Mainnet: s.NodeMain, domain.Sepolia: s.NodeSepolia}
}

// add appends a node of a chain.
func (s *nodeSettings) add(chain domain.Chain, url string) {
	if chain == domain.Mainnet {
		s.NodeMain = append(s.NodeMain, secretText(url))
	} else {
		s.NodeSepolia = append(s.NodeSepolia, secretText(url))
	}
}

// open opens the upstream pool of a chain.
func (s nodeSettings) open(chain domain.Chain, options node.Options) (_ *node.Pool, err error) {
	options.Chain = chain
	for _, u := range s.urls()[chain] {
		options.URLs = append(options.URLs, string(u))
	}
	if options.Headers, err = s.headers(); err != nil {
		return nil, err
	}
	pool, err := node.Open(options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", nodeFlag(chain), err)
	}
	return pool, nil
}

// nodeFlag is the flag for the nodes of a chain.
func nodeFlag(c domain.Chain) string {
	if c == domain.Mainnet {
		return "--node-main"
	}
	return "--node-sepolia"
}

// openNode opens the upstream pool of a chain for a use. The pools of a process
// share the limits of each node.
func (c *console) openNode(chain domain.Chain, nodes nodeSettings, use nodeUse) (*node.Pool, error) {
	if c.limits == nil {
		c.limits = pace.NewLimits(nodes.NodeRPS)
	}
	pool, err := nodes.open(chain, node.Options{
		MaxConcurrent: use.calls, Wait: use.wait, Limits: c.limits, Caller: nodeCaller, Logger: c.logger, Observe: c.countCall,
	})
	if err != nil {
		return nil, usageError{err}
	}
	return pool, nil
}

// countCall counts a call to a node.
func (c *console) countCall(o node.Observation) {
	c.metrics.NodeCall(telemetry.NodeCall{
		Upstream: o.Upstream, Method: o.Method, Outcome: string(o.Outcome), Retry: o.Retry, Waited: o.Waited, Took: o.Took,
	})
}

// pools opens the upstream pool of every chain with nodes. The returned function
// closes them.
func (d *deployment) pools(nodes nodeSettings, use nodeUse) (map[domain.Chain]*node.Pool, func(), error) {
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
		pool, err := d.openNode(c, nodes, use)
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
	pools, closeAll, err := d.pools(nodes, workUse)
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
