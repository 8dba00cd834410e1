package chain

import (
	"errors"
	"fmt"
	"io"

	"astrolabe/sim/state"
)

// ErrRecordingEnded reports that a replayed chain has no more blocks.
var ErrRecordingEnded = errors.New("the recording has ended")

// Replay returns a chain that takes its blocks from a recording: block 0 now,
// one more with every mined block, including reorgs.
func Replay(config Config, recording *Recording) (*Chain, error) {
	c := empty(config)
	c.recording = recording
	c.config.Archive = recording
	if _, err := c.playNext(recording); err != nil {
		return nil, err
	}
	return c, nil
}

// Resume returns the chain of a recording as it was when its last block was
// written, and continues the recording. Without any block it starts the chain.
func Resume(config Config, recording *Recording) (*Chain, error) {
	c := empty(config)
	c.config.Archive = recording
	for {
		change, err := c.playNext(recording)
		if errors.Is(err, ErrRecordingEnded) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(change.Removed) > 0 {
			c.branch++
		}
	}
	if c.head == nil {
		return c, c.found()
	}
	return c, nil
}

// playNext adds the recording's next block, and after a reorg as many as it
// takes to reach the old height again.
func (c *Chain) playNext(recording *Recording) (Change, error) {
	var change Change
	for {
		e, err := recording.Next()
		if errors.Is(err, io.EOF) {
			return change, ErrRecordingEnded
		}
		if err != nil {
			return change, err
		}
		if err := c.checkRecorded(e.Block); err != nil {
			return change, err
		}
		for c.head != nil && c.head.Header.BlockNumber >= e.Header.BlockNumber {
			change.Removed = append([]*Block{c.takeBack()}, change.Removed...)
		}
		if err := c.play(e); err != nil {
			return change, err
		}
		change.Added = append(change.Added, e.Block)
		if n := len(change.Removed); n == 0 || e.Header.BlockNumber >= change.Removed[n-1].Header.BlockNumber {
			return change, nil
		}
	}
}

// play makes a recorded block the head, and updates the script if the chain is
// to continue.
func (c *Chain) play(e Entry) error {
	for _, class := range e.Foreign {
		c.config.Bring(class)
	}
	var memory any
	if script := c.config.Script; script != nil {
		memory = script.Save()
		if err := script.Learn(e.Gained); err != nil {
			return fmt.Errorf("%w: block %d: %w", ErrNotARecording, e.Header.BlockNumber, err)
		}
	}
	c.keep(e, state.Changes(e.StateUpdate.StateDiff), memory)
	return nil
}

// checkRecorded rejects a block that does not follow the head.
func (c *Chain) checkRecorded(b *Block) error {
	number := b.Header.BlockNumber
	if c.head == nil {
		if number != 0 {
			return fmt.Errorf("%w: the first block is %d", ErrNotARecording, number)
		}
		return nil
	}
	switch {
	case number == 0 || number > c.head.Header.BlockNumber+1:
		return fmt.Errorf("%w: block %d does not follow", ErrNotARecording, number)
	case number <= c.oldest:
		return fmt.Errorf("%w: the recording replaces block %d, which needs a larger window", ErrNotRetained, number)
	case c.line[number-1] != b.Header.ParentHash:
		return fmt.Errorf("%w: block %d has another parent", ErrNotARecording, number)
	}
	return nil
}
