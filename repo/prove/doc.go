// Package prove stores proof jobs: their status, their holder with its heartbeat,
// and the budgets that limit new jobs. Of a body it stores keyed digests only, and
// of a result nothing.
//
// Each change of a job is one transaction under a lock of its row. What may
// change is decided in domain/prove.
package prove
