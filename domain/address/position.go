package address

import "astrolabe/domain"

// checkPosition holds a position against the largest value of each of its
// fields. Cursors are authentic, but a later release may have written them.
func checkPosition(p domain.Position, most ...uint64) error {
	fits := len(p) == len(most)
	for i := 0; fits && i < len(p); i++ {
		fits = p[i] <= most[i]
	}
	if !fits {
		return domain.InvalidCursor("The cursor was issued by an incompatible release.")
	}
	return nil
}
