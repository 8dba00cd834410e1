package chain

import (
	"errors"
	"fmt"

	"astrolabe/starknet"
)

// ErrArchived reports that blocks of an archived chain cannot be aborted.
var ErrArchived = errors.New("blocks of a chain that is written to a file cannot be aborted; reorganise them instead")

// ErrTime reports a timestamp before that of the newest block.
var ErrTime = errors.New("the time is before the newest block")

// Abort removes the block with a number and all newer ones with their
// transactions, and returns their hashes, oldest first. It fails as Reorg does,
// and returns ErrArchived for a chain with an archive, which never gets shorter.
func (c *Chain) Abort(number uint64, anyway bool) ([]starknet.Felt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	head := c.head.Header.BlockNumber
	switch {
	case number > head:
		return nil, ErrNoBlock
	case c.config.Archive != nil && c.recording == nil:
		return nil, ErrArchived
	}
	depth := int(head - number + 1) //nolint:gosec // A chain has fewer blocks.
	if err := c.removable(depth, anyway); err != nil {
		return nil, err
	}
	removed, hashes := make([]*Block, depth), make([]starknet.Felt, depth)
	for i := depth - 1; i >= 0; i-- {
		removed[i] = c.takeBack()
		hashes[i] = removed[i].Header.BlockHash
	}
	c.branch++
	c.line = c.line[:number]
	c.accepted = min(c.accepted, number-1)
	c.pending, c.pool, c.orphans = nil, nil, nil
	c.tell(Change{Removed: removed})
	return hashes, nil
}

// AcceptOnL1 accepts the block with a number and all older ones, and returns the
// hashes of those that were not accepted before, newest first.
func (c *Chain) AcceptOnL1(number uint64) ([]starknet.Felt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if number > c.head.Header.BlockNumber {
		return nil, ErrNoBlock
	}
	hashes := []starknet.Felt{}
	for n := number; n > c.l1Head(); n-- {
		hashes = append(hashes, c.line[n])
	}
	c.accepted = max(c.accepted, number)
	return hashes, nil
}

// SetTime sets the timestamp of the next block. It returns ErrTime for a time
// before the newest block.
func (c *Chain) SetTime(seconds uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recording != nil {
		return ErrRecorded
	}
	if now := c.head.Header.Timestamp; seconds < now {
		return fmt.Errorf("%w: got %d, want at least %d", ErrTime, seconds, now)
	}
	c.time, c.pending = seconds, nil
	return nil
}

// IncreaseTime delays the next block by so many seconds.
func (c *Chain) IncreaseTime(seconds uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recording != nil {
		return ErrRecorded
	}
	c.time, c.pending = c.preConfirmed().Header.Timestamp+seconds, nil
	return nil
}
