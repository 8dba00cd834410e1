// Package verify stores verification jobs: their state, their append-only
// history, the uploaded sources in pieces, and the counts that limit new jobs.
//
// Each change of a job is one transaction with its row of history, its source and
// the queued work that follows, so a kill at any moment loses and doubles
// nothing. What may change is decided in domain/verify.
package verify
