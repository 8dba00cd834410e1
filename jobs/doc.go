// Package jobs runs background work. Its packages are the index
// loop (index), which one leader per chain runs, the periodic jobs (census,
// markets, materialise, metadata, retain, summaries), and what operators ask
// for (fsck, rederive).
//
// Like the facades, jobs call domain services and declare what else they
// need as small interfaces; they never import repo.
//
// # Periodic jobs
//
// What all periodic jobs share stands here: how a job is scheduled and
// observed ([Periodic]), how it goes over chains ([EachChain], [ChainByChain]), how it stops in
// time ([Repeat]), at which block it reads ([NewestVisible], [NewestFinalized])
// and how it asks a node about many tokens ([AskEach]). A new job writes down
// its name and period, what it needs, and one run:
//
//	// args names the job in the queue.
//	type args struct{}
//
//	func (args) Kind() string { return "market_pools" }
//
//	// Worker keeps the pools.
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
// The program adds the job to its [Schedule] in cmd/astrolabe/work.go. Runs
// are counted and timed, and an outage is logged once when it begins and once
// when it ends, so a run only returns its error.
package jobs
