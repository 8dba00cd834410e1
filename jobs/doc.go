// Package jobs runs background work: the indexer (index), which one leader per
// chain runs, the periodic jobs (census, markets, materialise, metadata, retain,
// summaries, verify), queued work (verify), and the commands of operators (fsck, repair, rederive).
//
// Like the facades, jobs call domain services and declare their other
// dependencies as small interfaces. They never import repo.
//
// # Periodic jobs
//
// This package provides what periodic jobs share: scheduling and observation
// ([Periodic]), iteration over chains ([EachChain], [ChainByChain]), time limits
// ([Repeat]), the block to read at ([NewestVisible], [NewestFinalized]) and
// concurrent reads of many tokens from a node ([AskEach]). A new job declares its
// name, its period, its dependencies and one run:
//
//	// args names the job in the queue.
//	type args struct{}
//
//	func (args) Kind() string { return "market_pools" }
//
//	// Worker stores pools.
//	type Worker struct{ Store Store }
//
//	// Job schedules the worker.
//	func (w *Worker) Job() jobs.Job {
//		return jobs.Periodic[args]{Every: time.Minute, Run: w.Run}
//	}
//
//	// Run scans the events of every chain.
//	func (w *Worker) Run(ctx context.Context, _ time.Time) error {
//		return jobs.ChainByChain(slices.Values(domain.Chains), func(c domain.Chain) error {
//			_, err := jobs.Repeat(time.Now().Add(30*time.Second), func() (more bool, err error) {
//				return w.Store.ScanPools(ctx, c)
//			})
//			return err
//		})
//	}
//
// Work that belongs to one row is a [Queued] job: the transaction that changes the
// row queues it with its arguments.
//
// The program adds the job to its [Schedule] in cmd/astrolabe/work.go. Runs
// are counted and timed, and an outage is logged once when it starts and once
// when it ends, so a run only returns its error.
package jobs
