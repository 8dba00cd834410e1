package chain

import (
	"errors"
	"fmt"
	"io"

	"astrolabe/sim/state"
)

// ErrRecordingEnded reports that a replayed chain has no more blocks.
var ErrRecordingEnded = errors.New("the recording has ended")

// Replay returns a chain that takes its blocks from a recording: block 0 now, one more
// with every block that is mined, reorganisations included.
func Replay(config Config, recording *Recording) (*Chain, error) {
	c := empty(config)
	c.recording = recording
	c.config.Archive = recording
	if _, err := c.playNext(); err != nil {
		return nil, err
	}
	return c, nil
}

// playNext adds the recording's next block, and after a reorganisation as many as it
// takes to reach the old height again.
func (c *Chain) playNext() (Change, error) {
	var change Change
	for {
		b, err := c.recording.Next()
		if errors.Is(err, io.EOF) {
			if len(change.Added) > 0 {
				return change, nil
			}
			return change, ErrRecordingEnded
		}
		if err != nil {
			return change, err
		}
		if err := c.checkRecorded(b); err != nil {
			return change, err
		}
		for c.head != nil && c.head.Header.BlockNumber >= b.Header.BlockNumber {
			change.Removed = append([]*Block{c.takeBack()}, change.Removed...)
		}
		for _, class := range b.Foreign {
			c.config.Bring(class)
		}
		c.keep(b, state.Changes(b.StateUpdate.StateDiff), nil)
		change.Added = append(change.Added, b)
		if n := len(change.Removed); n == 0 || b.Header.BlockNumber >= change.Removed[n-1].Header.BlockNumber {
			return change, nil
		}
	}
}

// checkRecorded refuses a block that is damaged or does not follow.
func (c *Chain) checkRecorded(b *Block) error {
	hash, err := b.Header.ComputeHash()
	if err != nil || hash != b.Header.BlockHash || len(b.Transactions) != len(b.Receipts) {
		return fmt.Errorf("%w: block %d is damaged", ErrNotARecording, b.Header.BlockNumber)
	}
	number := b.Header.BlockNumber
	if c.head == nil {
		if number != 0 {
			return fmt.Errorf("%w: it begins with block %d", ErrNotARecording, number)
		}
		return nil
	}
	if number == 0 || number > c.head.Header.BlockNumber+1 {
		return fmt.Errorf("%w: block %d does not follow", ErrNotARecording, number)
	}
	parent, ok := c.blocks[number-1]
	if !ok || parent.Header.BlockHash != b.Header.ParentHash {
		return fmt.Errorf("%w: block %d has another parent", ErrNotARecording, number)
	}
	return nil
}
