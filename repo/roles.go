package repo

// The roles of the processes that verify contracts. Each may do only what is
// listed here; all other processes own the tables.
const (
	// BuilderRole builds sources. It sees neither receipts nor keys, and cannot
	// decide that a job succeeded.
	BuilderRole = "astrolabe_builder"
	// ControllerRole compares what was built with the declaration and signs
	// receipts. It sees no sources.
	ControllerRole = "astrolabe_controller"
)

// grant is one thing that a role may do with a table. A table with a condition
// on its rows in any grant has row-level security, and then a grant without a
// condition is one on all rows.
//
// A condition may only refer to tables of the same or an earlier migration than
// that of its own table, so that each migration can be undone. Its subqueries see
// what the role may see.
type grant struct {
	act     string // SELECT, INSERT, UPDATE or DELETE
	table   string
	columns string // separated by commas; empty for the whole table
	rows    string // which rows it sees or changes; empty for all
	becomes string // which rows it may write; empty for all
}

// roleGrants lists everything that each role may do. States are numbered as in
// verify.States: 2 queued, 3 building, 4 comparing, 5 succeeded, 6 mismatch,
// 7 failed. Rows of history are added by the trigger of a job that moves, with the
// privileges of the role that moves it; another trigger refuses all others.
var roleGrants = map[string][]grant{
	BuilderRole: {
		// A row that a statement has read must stay visible after its change.
		{"SELECT", "verification_jobs", "id, number, package, state, updated_at", "state IN (2, 3, 4, 7)", ""},
		{"UPDATE", "verification_jobs", "state, updated_at, finished_at, failure_code, failure_message, build", "state IN (2, 3)",
			"state IN (3, 4, 7) AND " + plausible("updated_at") + " AND (finished_at IS NULL OR " + plausible("finished_at") + ")"},
		{"SELECT", "verification_history", "job, seq, state, at", jobIn("verification_history", "2, 3, 4, 7"), ""},
		{"INSERT", "verification_history", "job, seq, state, at", "", "state IN (3, 4, 7) AND " + jobIn("verification_history", "3, 4, 7")},
		{"SELECT", "verification_sources", "job, part, bytes", jobIn("verification_sources", "3"), ""},
		{"SELECT", "verification_builds", "job, builder, attempt, claimed_at, seen_at", "", ""},
		{"INSERT", "verification_builds", "job, builder, attempt, claimed_at, seen_at", "",
			jobIn("verification_builds", "2") + " AND " + plausible("claimed_at") + " AND " + plausible("seen_at")},
		{"UPDATE", "verification_builds", "builder, attempt, claimed_at, seen_at", jobIn("verification_builds", "3"), plausible("claimed_at") + " AND " + plausible("seen_at")},
		{"INSERT", "verification_candidates", "job, class, built_at", "", jobIn("verification_candidates", "3")},
		{"SELECT", "verification_builders", "id, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, measures, seen_at", "", ""},
		{"INSERT", "verification_builders", "id, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, measures, seen_at", "", plausible("seen_at")},
		{"UPDATE", "verification_builders", "toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, measures, seen_at", "", plausible("seen_at")},
	},
	ControllerRole: {
		{"SELECT", "verification_jobs", "id, number, chain, package, state, updated_at, build", "state IN (4, 5, 6, 7)", ""},
		{"UPDATE", "verification_jobs", "state, updated_at, finished_at, failure_code, failure_message, produced_class_hash, receipt_id", "state = 4",
			"(state IN (6, 7) AND receipt_id IS NULL OR state = 5 AND receipt_id IS NOT NULL)"},
		{"SELECT", "verification_history", "job, seq, state, at", jobIn("verification_history", "4, 5, 6, 7"), ""},
		{"INSERT", "verification_history", "job, seq, state, at", "", "state IN (5, 6, 7) AND " + jobIn("verification_history", "5, 6, 7")},
		{"SELECT", "verification_candidates", "job, class, built_at", jobIn("verification_candidates", "4"), ""},
		{"DELETE", "verification_candidates", "", jobIn("verification_candidates", "4"), ""},

		// Keys begin here, and are ended by the operator. Triggers of these tables
		// keep receipts as they are.
		{"SELECT", "verification_keys", "", "", ""},
		{"INSERT", "verification_keys", "key_id, public_key, environment, toolchain_name, toolchain_version, toolchain_digest, not_before", "", ""},
		{"SELECT", "verification_receipts", "", "", ""},
		{"INSERT", "verification_receipts", "", "", ""},
		{"SELECT", "verification_outbox", "", "", ""},
		{"INSERT", "verification_outbox", "", "", ""},
		{"DELETE", "verification_outbox", "", "", ""},
		{"INSERT", "verifications", "", "", ""},

		// The log only grows: triggers of these tables refuse everything else.
		{"SELECT", "verification_log_hashes", "", "", ""},
		{"INSERT", "verification_log_hashes", "", "", ""},
		{"SELECT", "verification_log_checkpoints", "", "", ""},
		{"INSERT", "verification_log_checkpoints", "", "", ""},
		{"UPDATE", "verification_log_checkpoints", "root, note, signed_at", "", ""},

		{"SELECT", "verification_controllers", "", "", ""},
		{"INSERT", "verification_controllers", "", "", ""},
		{"UPDATE", "verification_controllers", "", "", ""},

		// What says where a class was declared, and whether that is final.
		{"SELECT", "classes", "chain, id, hash", "", ""},
		{"SELECT", "declarations", "chain, class, block, tx, compiled", "", ""},
		{"SELECT", "blocks", "chain, block, hash", "", ""},
		{"SELECT", "transactions", "chain, block, tx, hash", "", ""},
		{"SELECT", "index_checkpoints", "chain, finalized_block, genesis", "", ""},
	},
}

// plausible is the condition that a time that a builder writes is one that the clock
// of its host may have: not in the future, except for what clocks differ, and not
// infinite, which no process can read.
func plausible(column string) string {
	return column + " BETWEEN '2020-01-01Z' AND now() + interval '5 minutes'"
}

// jobIn is the condition that the job of a row is in one of the states.
func jobIn(table, states string) string {
	return "EXISTS (SELECT FROM verification_jobs j WHERE j.id = " + table + ".job AND j.state IN (" + states + "))"
}
