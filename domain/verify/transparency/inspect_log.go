package transparency

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// hashes compares the stored hashes with those that the receipts give.
func (i *inspection) hashes(ctx context.Context) error {
	i.firstBad = -1
	bad := func(index int64, format string, arguments ...any) {
		if i.firstBad < 0 {
			i.firstBad = index
			i.broken = append(i.broken, fmt.Sprintf(format, arguments...))
		}
	}
	for {
		batch, err := i.evidence.LogHashes(ctx, i.stored, rowsAtOnce)
		if err != nil || len(batch) == 0 {
			return err
		}
		for _, h := range batch {
			switch {
			case h.Index != i.stored:
				bad(i.stored, "hash %d is missing", i.stored)
			case h.Index >= int64(len(i.log.hashes)):
				bad(h.Index, "hash %d belongs to no receipt", h.Index)
			case !bytes.Equal(h.Hash, i.log.hashes[h.Index][:]):
				bad(h.Index, "hash %d is %x, but the receipts give %s", h.Index, h.Hash, i.log.hashes[h.Index])
			}
			i.stored = h.Index + 1
		}
	}
}

// checkpoints compares checkpoints with the roots that the receipts give.
func (i *inspection) checkpoints(ctx context.Context) error {
	sound := true
	for {
		batch, err := i.evidence.Checkpoints(ctx, i.newest, rowsAtOnce)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
		for n := range batch {
			i.newest = batch[n].Size
			if fault := i.checkpoint(&batch[n]); fault != "" {
				i.broken, sound = append(i.broken, fault), false
			} else if sound {
				i.sizes = append(i.sizes, i.newest)
			}
		}
	}
	if i.stored != tlog.StoredHashCount(i.newest) && i.firstBad < 0 {
		i.broken = append(i.broken, fmt.Sprintf("the newest checkpoint has the size %d, which needs %d hashes, but there are %d", i.newest, tlog.StoredHashCount(i.newest), i.stored))
	}
	return nil
}

// checkpoint returns what is wrong with a checkpoint, if anything.
func (i *inspection) checkpoint(s *StoredCheckpoint) string {
	c, _, err := verifySignature(s.Note, i.root)
	switch {
	case err != nil:
		return fmt.Sprintf("the checkpoint of the size %d: %v", s.Size, err)
	case c.Size != s.Size || !bytes.Equal(c.Root[:], s.Root) || !c.SignedAt.Equal(s.SignedAt):
		return fmt.Sprintf("the checkpoint of the size %d was signed with a size, root or time that differs from its columns", s.Size)
	case s.Size > i.count:
		return fmt.Sprintf("the checkpoint of the size %d is for more than the %d receipts", s.Size, i.count)
	case c.Root != i.roots[s.Size-1]:
		return fmt.Sprintf("the checkpoint of the size %d has the root %s, but the receipts give %s", s.Size, c.Root, tlog.Hash(i.roots[s.Size-1]))
	}
	return ""
}

// compareOutbox finds receipts that neither the log has nor wait for it, or both.
func (i *inspection) compareOutbox() {
	for n, waiting := range i.waiting {
		if logged := int64(n) < i.newest; logged == waiting {
			state := "is neither in the log nor in the outbox"
			if logged {
				state = "is in the log and still in the outbox"
			}
			i.broken = append(i.broken, fmt.Sprintf("receipt %d %s", n+1, state))
		}
	}
}

// cut adds the faults of the log with their repair: the log is cut at the last
// state without a fault, and the integration adds the receipts after it again.
func (i *inspection) cut() {
	size := int64(0)
	for _, s := range i.sizes {
		if i.firstBad < 0 && tlog.StoredHashCount(s) <= i.stored || i.firstBad >= tlog.StoredHashCount(s) {
			size = s
		}
	}
	repair := strings.Join([]string{
		"BEGIN",
		"ALTER TABLE verification_log_hashes DISABLE TRIGGER USER",
		"ALTER TABLE verification_log_checkpoints DISABLE TRIGGER USER",
		fmt.Sprintf("DELETE FROM verification_log_hashes WHERE index >= %d", tlog.StoredHashCount(size)),
		fmt.Sprintf("DELETE FROM verification_log_checkpoints WHERE size > %d", size),
		"ALTER TABLE verification_log_hashes ENABLE TRIGGER USER",
		"ALTER TABLE verification_log_checkpoints ENABLE TRIGGER USER",
		"DELETE FROM verification_outbox",
		fmt.Sprintf("INSERT INTO verification_outbox SELECT receipt_id FROM verification_receipts WHERE receipt_id > %d", size),
		"COMMIT",
	}, "; ")
	for _, f := range i.faults { // a damaged receipt gives another log
		if f.Check == checkReceipts {
			repair = ""
		}
	}
	for _, detail := range i.broken {
		i.found(checkLog, repair, "%s", detail)
	}
}
