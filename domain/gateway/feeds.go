package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"astrolabe/domain/account"
)

const (
	// maxTopics is how many subscriptions the gateway of a chain has at its nodes.
	maxTopics = 1024
	// maxOwnTopics is how many of them one workspace may begin.
	maxOwnTopics = maxTopics / 4
)

// feeds are the topics of a chain. Identical subscriptions share a topic, unless
// they name the block at which they begin: each of those gets the blocks since.
type feeds struct {
	node    Node
	now     func() time.Time
	lineage *lineage

	mu     sync.Mutex
	shared map[string]*topic
	open   int            // all topics
	begun  map[string]int // open topics by the workspace that began them
}

func newFeeds(node Node, now func() time.Time) *feeds {
	return &feeds{node: node, now: now, lineage: newLineage(node), shared: map[string]*topic{}, begun: map[string]int{}}
}

// join adds a subscriber to the topic of a method and its params, and waits for
// begin. The returned function leaves the topic. The errors are those of
// Follower.Next, ErrSaturated and that of ctx.
func (f *feeds) join(ctx context.Context, m Method, params json.RawMessage, s *subscriber) (leave func(), err error) {
	t, err := f.enter(ctx, m, params, s)
	if err != nil {
		return nil, err
	}
	select {
	case err = <-s.ready:
	case <-ctx.Done():
		if f.withdraw(t, s) {
			return nil, context.Cause(ctx)
		}
		err = <-s.ready
	}
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { f.leave(t, s) }), nil
}

// enter finds or begins the topic. A topic counts for the workspace that began it
// until it ends.
func (f *feeds) enter(ctx context.Context, m Method, params json.RawMessage, s *subscriber) (*topic, error) {
	key := ""
	if !namesBlock(m, params) {
		key = m.Name + string(params)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if t, ok := f.shared[key]; ok {
		t.join(ctx, s)
		return t, nil
	}
	owner := workspaceOf(ctx)
	if f.open == maxTopics || f.begun[owner] == maxOwnTopics {
		return nil, ErrSaturated
	}
	t := &topic{feeds: f, owner: owner, key: key, method: m, params: params, tracker: newTracker(f.node, f.lineage, m, params), waiting: []*subscriber{s}}
	var run context.Context
	run, t.cancel = context.WithCancel(context.Background())
	f.open++
	f.begun[owner]++
	if key != "" {
		f.shared[key] = t
	}
	go t.run(run)
	return t, nil
}

// withdraw removes a subscriber that is still waiting, and reports whether it
// was.
func (f *feeds) withdraw(t *topic, s *subscriber) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	waited, empty := t.withdraw(s)
	if waited && empty {
		f.unlist(t)
		t.cancel()
	}
	return waited
}

// leave removes a subscriber, and ends a topic without any.
func (f *feeds) leave(t *topic, s *subscriber) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t.leave(s) {
		f.unlist(t)
		t.cancel()
	}
}

// remove removes a topic that ends.
func (f *feeds) remove(t *topic) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open--
	if f.begun[t.owner]--; f.begun[t.owner] == 0 {
		delete(f.begun, t.owner)
	}
	f.unlist(t)
	t.cancel()
}

// unlist makes sure that nobody joins a topic any more.
func (f *feeds) unlist(t *topic) {
	if f.shared[t.key] == t {
		delete(f.shared, t.key)
	}
}

// workspaceOf identifies the workspace of a caller, or a caller without one.
func workspaceOf(ctx context.Context) string {
	caller := account.CallerOf(ctx)
	if caller == nil {
		return ""
	}
	return cmp.Or(caller.Workspace, caller.Subject)
}
