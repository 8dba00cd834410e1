package repo

import (
	"fmt"

	"astrolabe/domain/indexing"
)

// Postgres' codes for a full disk and for a transaction that may not write.
const (
	stateDiskFull = "53100"
	stateReadOnly = "25006"
)

// Storage names the states in which a database answers but takes no rows:
// indexing.ErrStorageFull and indexing.ErrStorageReadOnly. Other errors stay as
// they are.
func Storage(err error) error {
	switch SQLState(err) {
	case stateDiskFull:
		return fmt.Errorf("%w: %w", indexing.ErrStorageFull, err)
	case stateReadOnly:
		return fmt.Errorf("%w: %w", indexing.ErrStorageReadOnly, err)
	}
	return err
}

func storage(err error) error { return Storage(err) }
