package transparency

import (
	"context"
	"fmt"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
)

// The checks of Inspect.
const (
	checkReceipts     = "receipts"
	checkKeys         = "signing keys"
	checkJobs         = "receipt jobs"
	checkRecords      = "verification records"
	checkDeclarations = "receipt declarations"
	checkLog          = "transparency log"
)

// rowsAtOnce is the number of rows per read.
const rowsAtOnce = 500

// Inspect checks the signing keys, compares receipts, jobs, histories, public records, declarations, the
// outbox, the hashes of the log and its checkpoints with each other, and verifies
// all signatures. It returns at most limit faults, and how many receipts it
// checked. Receipts that still wait for the log are no fault.
func Inspect(ctx context.Context, evidence Evidence, limit int) (faults []Fault, receipts int64, err error) {
	keys, err := evidence.Keys(ctx)
	if err != nil {
		return nil, 0, err
	}
	i := &inspection{evidence: evidence, keys: make(map[string]receipt.Key), root: &receipt.TrustRoot{Keys: keys}, limit: limit}
	i.signingKeys(keys)
	for n := range keys { // whether a key is still trusted is no property of the rows
		keys[n].RevokedAt, keys[n].NotAfter, keys[n].NotBefore = nil, nil, keys[n].NotBefore.AddDate(-1000, 0, 0)
	}
	for _, step := range []func(context.Context) error{i.receipts, i.withoutReceipts, i.hashes, i.checkpoints} {
		if err := step(ctx); err != nil {
			return i.faults, i.count, err
		}
	}
	i.compareOutbox()
	i.cut()
	return i.faults[:min(limit, len(i.faults))], i.count, nil
}

// inspection is a running Inspect.
type inspection struct {
	evidence Evidence
	keys     map[string]receipt.Key // as they are stored
	root     *receipt.TrustRoot     // of the same keys, without a first or last time
	limit    int
	faults   []Fault
	count    int64      // of receipts
	log      growing    // the log that the receipts give
	waiting  []bool     // by receipt
	broken   []string   // faults of the log, which one repair fixes
	stored   int64      // number of hashes
	firstBad int64      // index of the first wrong hash; -1 if there is none
	sizes    []int64    // of checkpoints up to the first wrong one
	newest   int64      // size of the newest checkpoint
	roots    [][32]byte // of the log, by its size minus 1
}

func (i *inspection) found(check, repair, format string, arguments ...any) {
	i.faults = append(i.faults, Fault{check, fmt.Sprintf(format, arguments...), repair})
}

// receipts checks every receipt, and computes the log that they give.
func (i *inspection) receipts(ctx context.Context) error {
	for {
		batch, err := i.evidence.Receipts(ctx, i.count, rowsAtOnce)
		if err != nil || len(batch) == 0 {
			return err
		}
		for n := range batch {
			if batch[n].ID != i.count+1 {
				i.found(checkReceipts, "", "receipt %d is missing", i.count+1)
				return nil // the ids of the rest do not fit to the log
			}
			i.count++
			i.receipt(&batch[n])
			if err := i.log.add(Pending{batch[n].ID, batch[n].Digest}); err != nil {
				return err
			}
			root, err := tlog.TreeHash(i.count, &i.log)
			if err != nil {
				return err
			}
			i.roots, i.waiting = append(i.roots, root), append(i.waiting, batch[n].Waiting)
		}
	}
}

// receipt compares a receipt with its rows.
func (i *inspection) receipt(s *StoredReceipt) {
	r, err := receipt.Parse([]byte(s.Body))
	if err == nil {
		_, err = i.root.Verify(r, receipt.Rules{AllowDemo: true})
	}
	if err != nil {
		i.found(checkReceipts, "", "receipt %d: %v", s.ID, err)
		return
	}
	if fault := i.keyFault(s, r); fault != "" {
		i.found(checkKeys, "", "receipt %d: %s", s.ID, fault)
	}
	e := &r.Evidence
	for _, c := range []struct{ column, got, want string }{
		{"receipt_id", strconv.FormatInt(s.ID, 10), strconv.FormatUint(uint64(e.ReceiptID), 10)}, {"job", s.Job, e.JobID}, {"chain", string(s.Chain), string(e.ChainID)},
		{"class", s.Class.String(), e.ClassHash}, {"key_id", s.KeyID, r.KeyID}, {"digest", s.Digest, r.Digest()},
		{"issued_at", domain.Milliseconds(s.IssuedAt).Format(timeForm), e.IssuedAt},
	} {
		if c.got != c.want {
			i.found(checkReceipts, "", "receipt %d: its column %s is %s, but it was signed with %s", s.ID, c.column, domain.Quote(c.got), c.want)
			return
		}
	}
	switch {
	case !s.Succeeded:
		i.found(checkJobs, "", "receipt %d: the state or the history of its job %s does not end with succeeded", s.ID, s.Job)
	case s.JobReceiptID == nil || *s.JobReceiptID != s.ID:
		i.found(checkJobs, fmt.Sprintf("UPDATE verification_jobs SET receipt_id = %d WHERE id = '%s'", s.ID, s.Job), "receipt %d: its job %s names another receipt", s.ID, s.Job)
	case s.JobChain != e.ChainID || s.UploadDigest != e.SourceArchiveDigest || s.SelectedClass != e.ClassHash:
		i.found(checkJobs, "", "receipt %d: chain, uploadDigest or selectedClassHash of its job %s differ from the signed evidence", s.ID, s.Job)
	}
	if !s.RecordHolds {
		i.found(checkRecords, recordSQL(s), "receipt %d: the public record of class %s is missing or says something else", s.ID, s.Class)
	}
	i.declaration(s.ID, s.Declaration, &e.Declaration)
}

// recordSQL writes the public record of a receipt again.
func recordSQL(s *StoredReceipt) string {
	return fmt.Sprintf("INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest) "+
		"SELECT chain, class, receipt_id, issued_at, key_id, digest FROM verification_receipts WHERE receipt_id = %d "+
		"ON CONFLICT (chain, class, receipt_id) DO UPDATE SET issued_at = EXCLUDED.issued_at, key_id = EXCLUDED.key_id, receipt_digest = EXCLUDED.receipt_digest", s.ID)
}

// declaration compares the signed declaration with the index.
func (i *inspection) declaration(id int64, stored *StoredDeclaration, signed *receipt.Declaration) {
	if stored == nil {
		return
	}
	if stored.Block != int64(signed.BlockNumber) || stored.BlockHash.String() != signed.BlockHash ||
		stored.Transaction != nil && stored.Transaction.String() != signed.TransactionHash ||
		stored.Compiled != nil && stored.Compiled.String() != signed.CompiledClassHash {
		i.found(checkDeclarations, "", "receipt %d: the index declares its class in block %d %s, but it was signed for block %d %s; check the index with a node first",
			id, stored.Block, stored.BlockHash, signed.BlockNumber, signed.BlockHash)
	}
}

func (i *inspection) withoutReceipts(ctx context.Context) error {
	faults, err := i.evidence.WithoutReceipts(ctx, i.limit)
	i.faults = append(i.faults, faults...)
	return err
}
