package verify

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Evidence reads everything that is stored about admitted receipts, for fsck.
type Evidence struct{ on bun.IDB }

var _ transparency.Evidence = Evidence{}

// ReadEvidence calls read with the evidence of one snapshot, so that builders and
// controllers may go on.
func ReadEvidence(ctx context.Context, db *repo.DB, read func(Evidence) error) error {
	return db.Write().RunInTx(ctx, repo.Snapshot, func(_ context.Context, tx bun.Tx) error { return read(Evidence{tx}) })
}

// Keys implements transparency.Evidence.
func (r Evidence) Keys(ctx context.Context) ([]receipt.Key, error) {
	var rows []model.VerificationKey
	err := r.on.NewSelect().Model(&rows).Comment("evidence.keys").Order("key_id").Scan(ctx)
	keys := make([]receipt.Key, len(rows))
	for i, k := range rows {
		keys[i] = receipt.Key{
			ID: k.KeyID, PublicKey: k.PublicKey, Environment: receipt.Environment(k.Environment), NotBefore: k.NotBefore, NotAfter: k.NotAfter, RevokedAt: k.RevokedAt,
			Toolchain: receipt.Toolchain{Name: k.ToolchainName, Version: k.ToolchainVersion, Digest: k.ToolchainDigest},
		}
	}
	return keys, repo.Failure(ctx, err)
}

// receiptsAfter reads receipts by the primary key, with their jobs, the last rows
// of their histories, their public records and the declarations that they name.
const receiptsAfter = `/* evidence.receipts */
	SELECT r.receipt_id, r.job, r.chain, r.class, r.key_id, r.digest, r.issued_at, r.body,
		j.state, j.build, j.receipt_id AS job_receipt_id, j.chain AS job_chain, j.package->>'uploadDigest' AS upload_digest, j.package->>'selectedClassHash' AS selected,
		(SELECT h.state FROM verification_history h WHERE h.job = r.job ORDER BY h.seq DESC LIMIT 1) AS last_state,
		v.key_id AS record_key, v.receipt_digest AS record_digest, v.issued_at = r.issued_at AS record_issued,
		EXISTS (SELECT FROM verification_outbox x WHERE x.receipt_id = r.receipt_id) AS waiting,
		d.block AS declared_block, d.compiled AS declared_compiled, b.hash AS declared_hash, t.hash AS declared_tx
	FROM verification_receipts r JOIN verification_jobs j ON j.id = r.job
	LEFT JOIN verifications v ON v.chain = r.chain AND v.class = r.class AND v.receipt_id = r.receipt_id
	LEFT JOIN classes k ON k.chain = r.chain AND k.hash = r.class
	LEFT JOIN LATERAL (SELECT d.block, d.tx, d.compiled FROM declarations d WHERE d.chain = k.chain AND d.class = k.id ORDER BY d.block LIMIT 1) d ON true
	LEFT JOIN blocks b ON b.chain = r.chain AND b.block = d.block
	LEFT JOIN transactions t ON t.chain = r.chain AND t.block = d.block AND t.tx = d.tx
	WHERE r.receipt_id > $1 ORDER BY r.receipt_id LIMIT $2`

// Receipts implements transparency.Evidence.
func (r Evidence) Receipts(ctx context.Context, after int64, most int) ([]transparency.StoredReceipt, error) {
	type row struct {
		model.VerificationReceipt
		State            int64           `bun:"state"`
		Build            json.RawMessage `bun:"build"`
		JobReceiptID     *int64          `bun:"job_receipt_id"`
		JobChain         model.Chain     `bun:"job_chain"`
		UploadDigest     string          `bun:"upload_digest"`
		Selected         string          `bun:"selected"`
		LastState        *int64          `bun:"last_state"`
		RecordKey        *string         `bun:"record_key"`
		RecordDigest     *string         `bun:"record_digest"`
		RecordIssued     *bool           `bun:"record_issued"`
		Waiting          bool            `bun:"waiting"`
		DeclaredBlock    *int64          `bun:"declared_block"`
		DeclaredCompiled *starknet.Felt  `bun:"declared_compiled"`
		DeclaredHash     *starknet.Felt  `bun:"declared_hash"`
		DeclaredTx       *starknet.Felt  `bun:"declared_tx"`
	}
	rows, err := repo.Select[row](ctx, r.on, receiptsAfter, after, most)
	list := make([]transparency.StoredReceipt, len(rows))
	for i, s := range rows {
		list[i] = transparency.StoredReceipt{
			ID: s.ReceiptID, Job: s.Job, Chain: domain.Chain(s.Chain), Class: s.Class, KeyID: s.KeyID, Digest: s.Digest, IssuedAt: s.IssuedAt.UTC(), Body: s.Body,
			Succeeded:    storedState(s.State) == verify.Succeeded && s.LastState != nil && storedState(*s.LastState) == verify.Succeeded,
			JobReceiptID: s.JobReceiptID, JobChain: domain.Chain(s.JobChain), UploadDigest: s.UploadDigest, SelectedClass: s.Selected,
			Recorded: s.RecordKey != nil, RecordHolds: s.RecordKey != nil && *s.RecordKey == s.KeyID && *s.RecordDigest == s.Digest && *s.RecordIssued,
			Waiting: s.Waiting,
		}
		var build verify.Build
		if json.Unmarshal(s.Build, &build) == nil { // else it has no toolchain, which no key signs for
			list[i].Toolchain = receipt.Toolchain(build.Toolchain)
		}
		if s.DeclaredBlock != nil && s.DeclaredHash != nil {
			list[i].Declaration = &transparency.StoredDeclaration{Block: *s.DeclaredBlock, BlockHash: *s.DeclaredHash, Transaction: s.DeclaredTx, Compiled: s.DeclaredCompiled}
		}
	}
	return list, err
}

// evidenceWithoutReceipts are the rows that only exist with a receipt.
const evidenceWithoutReceipts = `/* evidence.without_receipts */
	SELECT 'job ' || j.id || ' succeeded without a receipt' AS detail, '' AS repair FROM verification_jobs j
		WHERE (j.state = 5 OR j.receipt_id IS NOT NULL) AND NOT EXISTS (SELECT FROM verification_receipts r WHERE r.job = j.id)
	UNION ALL
	SELECT 'the public record of receipt ' || v.receipt_id || ' has no receipt of its class',
		format('DELETE FROM verifications WHERE chain = %s AND class = %L AND receipt_id = %s', v.chain, v.class, v.receipt_id) FROM verifications v
		WHERE NOT EXISTS (SELECT FROM verification_receipts r WHERE r.receipt_id = v.receipt_id AND r.chain = v.chain AND r.class = v.class)
	ORDER BY 1 LIMIT $1`

// WithoutReceipts implements transparency.Evidence.
func (r Evidence) WithoutReceipts(ctx context.Context, most int) ([]transparency.Fault, error) {
	type row struct {
		Detail string `bun:"detail"`
		Repair string `bun:"repair"`
	}
	rows, err := repo.Select[row](ctx, r.on, evidenceWithoutReceipts, most)
	faults := make([]transparency.Fault, len(rows))
	for i, f := range rows {
		faults[i] = transparency.Fault{Check: "receipts", Detail: f.Detail, Repair: f.Repair}
	}
	return faults, err
}

// LogHashes implements transparency.Evidence, by the primary key.
func (r Evidence) LogHashes(ctx context.Context, from int64, most int) ([]transparency.StoredHash, error) {
	rows, err := repo.Select[model.VerificationLogHash](ctx, r.on, `/* evidence.hashes */
	SELECT index, hash FROM verification_log_hashes WHERE index >= $1 ORDER BY index LIMIT $2`, from, most)
	list := make([]transparency.StoredHash, len(rows))
	for i, h := range rows {
		list[i] = transparency.StoredHash{Index: h.Index, Hash: h.Hash}
	}
	return list, err
}

// Checkpoints implements transparency.Evidence, by the primary key.
func (r Evidence) Checkpoints(ctx context.Context, after int64, most int) ([]transparency.StoredCheckpoint, error) {
	rows, err := repo.Select[model.VerificationLogCheckpoint](ctx, r.on, `/* evidence.checkpoints */
	SELECT size, root, note, signed_at FROM verification_log_checkpoints WHERE size > $1 ORDER BY size LIMIT $2`, after, most)
	list := make([]transparency.StoredCheckpoint, len(rows))
	for i, c := range rows {
		list[i] = transparency.StoredCheckpoint{Size: c.Size, Root: c.Root, Note: c.Note, SignedAt: c.SignedAt.UTC()}
	}
	return list, err
}
