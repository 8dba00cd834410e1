// Package repo is the only package that accesses Postgres. Its root has what
// all repositories share: the connections, transactions, prepared reads, the
// names of statements, migrations, notifications and the job queue. The
// statements are in the sub-packages. Each has one small repository type per
// noun, which implements the store interface that its domain package declares:
//
//	model      one bun model for each table, and the types of columns
//	index      the writing of the index, and reading it back whole
//	onchain    blocks, transactions, messages, contracts, classes
//	events     events, and the certified index of their keys
//	tokens     tokens, transfers, supplies, summaries, censuses, pools
//	privacy    events of privacy pools, and their flow ledger
//	addresses  activity, assets, profiles, labels, search
//	verify     verification jobs, their history and sources
//	accounts   workspaces, keys, sessions, rate limits, usage, secrets
//
// Every statement has a name (/* key.find */): metrics, traces, statement counts
// and Postgres' log all use it. Ordinary statements are bun
// queries; hot reads are SQL with real arguments, run by Select. Nothing
// outside this tree imports bun or pgx.
package repo
