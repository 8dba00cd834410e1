package toolchain

import "astrolabe/starknet"

// reader reads felts in order. After a missing or out-of-range felt it fails
// and returns zeros, so that callers check once at the end.
type reader struct {
	felts  []starknet.Felt
	at     int
	failed bool
}

// next returns the next felt.
func (r *reader) next() starknet.Felt {
	if r.failed || r.at >= len(r.felts) {
		r.failed = true
		return starknet.Felt{}
	}
	r.at++
	return r.felts[r.at-1]
}

// count returns the next felt as a number up to a limit.
func (r *reader) count(limit int) int {
	n, ok := r.next().Count(limit)
	if !ok {
		r.failed = true
		return 0
	}
	return n
}

// length returns the next felt as the number of following items, each of one
// felt or more.
func (r *reader) length() int { return r.count(len(r.felts) - r.at) }

// argumentCount returns the next felt's lower half as length does. The upper half of that felt
// describes the type whose arguments follow.
func (r *reader) argumentCount() int {
	felt := r.next()
	clear(felt[:16])
	n, ok := felt.Count(len(r.felts) - r.at)
	if !ok {
		r.failed = true
		return 0
	}
	return n
}

// take returns the next n felts.
func (r *reader) take(n int) []starknet.Felt {
	if r.failed || n > len(r.felts)-r.at {
		r.failed = true
		return nil
	}
	r.at += n
	return r.felts[r.at-n : r.at]
}

// done reports whether everything was read without error.
func (r *reader) done() bool { return !r.failed && r.at == len(r.felts) }
