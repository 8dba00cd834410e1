// Package repo is the only place that speaks to Postgres. It satisfies the
// store interfaces that the domain declares, one file per noun, and owns the
// connection pool, the migrations and the job queue.
//
// Every statement of ours begins with a comment that names it (/* secrets.load */):
// metrics, traces, statement counts and Postgres' own log then speak of the
// same name. Builder queries go through bun; hot reads run prepared on the
// same pool with real arguments. Nothing outside this package imports bun or
// pgx.
package repo
