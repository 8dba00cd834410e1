package index

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/node"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/sim/fault"
)

// direct sends requests to a handler without a network, so that a test with a
// synthetic clock can wait for them. It has no sockets.
type direct struct{ to http.Handler }

// RoundTrip implements http.RoundTripper.
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	if r.Header.Get("Upgrade") != "" {
		answer.Code = http.StatusNotImplemented
	} else {
		d.to.ServeHTTP(answer, r)
	}
	return answer.Result(), nil
}

// TestChangeOfTheNodeShowsWithinOnePoll runs the loop with a synthetic clock.
// However long a node was wrong, one poll after it changes the status says so,
// in both directions.
func TestChangeOfTheNodeShowsWithinOnePoll(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t, repotest.Migrated)
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, front: &front{}, database: database}
		w.connect()
		w.sim = w.another(sim.Config{Blocks: 6})
		w.front.serve(w.sim.Handler())
		var err error
		w.node, err = node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{"http://node"}, HTTPClient: &http.Client{Transport: direct{w.front}}})
		if err != nil {
			t.Fatal(err)
		}
		defer w.node.Close()
		loop := w.loop("a")
		loop.Every = 2 * time.Second // The lease is long: the database measures it in real time.
		loop.Node = w.node.Source()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- loop.Run(ctx) }()
		defer func() { stop(); <-ended }()

		polled := func(want string) {
			t.Helper()
			<-time.After(loop.Every)
			synctest.Wait()
			if got := w.status().ReasonCode; got != want {
				t.Errorf("after one poll the reason is %q, want %q", got, want)
			}
		}
		polled("")
		for _, lie := range []struct {
			fault  fault.Fault
			reason string
		}{
			{fault.Fault{Kind: fault.OtherChain}, chain.ReasonWrongChain},
			{fault.Fault{}, chain.ReasonNodeVersion},
			{fault.Fault{Kind: fault.RPCError, Code: 24, Methods: []string{"starknet_getBlockWithReceipts"}}, chain.ReasonNodePruned},
			{fault.Fault{Kind: fault.Status, Status: http.StatusInternalServerError}, chain.ReasonNodeUnavailable},
		} {
			if err := w.sim.Mine(2); err != nil {
				t.Fatal(err)
			}
			w.lie(lie.fault)
			for range 20 {
				polled(lie.reason)
			}
			w.sim.ClearFaults()
			w.front.serve(w.sim.Handler())
			polled("")
			if status, head := w.status(), w.sim.Head().Header.BlockNumber; status.Coverage == nil || status.Coverage.Last != head {
				t.Errorf("after %s: got the coverage %+v, want blocks up to %d", lie.reason, status.Coverage, head)
			}
		}
	})
}
