package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/repo"
	"astrolabe/starknet"
)

var _ verify.JobEvidence = Evidence{}

// evidenceJob is a row of a job whose columns may have any value.
type evidenceJob struct {
	ID             string  `bun:"id"`
	State          int64   `bun:"state"`
	Selected       *string `bun:"selected"`
	FailureCode    *string `bun:"failure_code"`
	FailureMessage *string `bun:"failure_message"`
	Produced       []byte  `bun:"produced_class_hash"`
	ReceiptID      *int64  `bun:"receipt_id"`
}

// evidenceMove is a row of a history whose state may be any number.
type evidenceMove struct {
	Job   string    `bun:"job"`
	Seq   int64     `bun:"seq"`
	State int64     `bun:"state"`
	At    time.Time `bun:"at"`
}

// JobsAfter implements verify.JobEvidence, by the primary keys.
func (r Evidence) JobsAfter(ctx context.Context, after string, most int) ([]verify.StoredJob, error) {
	rows, err := repo.Select[evidenceJob](ctx, r.on, `/* evidence.jobs */
	SELECT id, state, package->>'selectedClassHash' AS selected, failure_code, failure_message, produced_class_hash, receipt_id
	FROM verification_jobs WHERE id > $1 ORDER BY id LIMIT $2`, after, most)
	if err != nil {
		return nil, err
	}
	jobs, place := make([]verify.StoredJob, len(rows)), make(map[string]int, len(rows))
	ids := make([]string, len(rows))
	for i := range rows {
		jobs[i], ids[i], place[rows[i].ID] = rows[i].job(), rows[i].ID, i
	}
	moves, err := repo.Select[evidenceMove](ctx, r.on, `/* evidence.history */
	SELECT job, seq, state, at FROM verification_history WHERE job = ANY($1::text[]) ORDER BY job, seq`, ids)
	for _, m := range moves {
		job := &jobs[place[m.Job]]
		if job.History = append(job.History, verify.Transition{State: storedState(m.State), At: m.At.UTC()}); int64(len(job.History)) != m.Seq {
			job.Unreadable = errors.Join(job.Unreadable, fmt.Errorf("row %d of its history has the number %d", len(job.History), m.Seq))
		}
	}
	return jobs, err
}

func (row *evidenceJob) job() verify.StoredJob {
	job := verify.StoredJob{Job: verify.Job{ID: row.ID, State: storedState(row.State)}}
	var err error
	if row.Selected == nil {
		err = errors.New("its package selects no class")
	} else {
		job.Package.SelectedClassHash, err = starknet.ParseFelt(*row.Selected)
	}
	if row.FailureCode != nil || row.FailureMessage != nil {
		job.Failure = &verify.Failure{}
		if row.FailureCode != nil && row.FailureMessage != nil {
			job.Failure.Code, job.Failure.Message = verify.FailureCode(*row.FailureCode), *row.FailureMessage
		}
	}
	if row.Produced != nil {
		job.ProducedClassHash = new(starknet.Felt)
		err = errors.Join(err, job.ProducedClassHash.Scan(row.Produced))
	}
	if row.ReceiptID != nil {
		job.ReceiptID = new(uint64(*row.ReceiptID))
	}
	job.Unreadable = err
	return job
}

// storedState returns the state of a stored number, also of one that is no state.
func storedState(number int64) verify.State {
	if number < 0 || number >= int64(len(verify.States)) {
		return verify.State(fmt.Sprintf("in the unknown state %d", number))
	}
	return verify.States[number]
}
