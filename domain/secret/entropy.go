package secret

import (
	"errors"
	"strings"
)

// ErrWeakMaster means that a master key was not drawn at random.
var ErrWeakMaster = errors.New("the master key is not random")

const (
	// leastBytes is how many different bytes a random key has. One with fewer
	// comes up once in 10^8 draws.
	leastBytes = 20
	// leastSteps is how many different distances its neighbouring bytes have.
	leastSteps = 16
)

// Check returns ErrWeakMaster for a key that is obviously not random: repeated
// or counted bytes, text, or only decimal digits. A random key practically never
// is. It cannot tell whether the key was drawn well.
func (m Master) Check() error {
	var values, steps [256]bool
	distinct, distances := 0, 0
	text := true
	for i, b := range m.Material {
		step := b - m.Material[(i+1)%Size]
		if !values[b] {
			distinct++
		}
		if !steps[step] {
			distances++
		}
		values[b], steps[step] = true, true
		text = text && b >= ' ' && b <= '~'
	}
	decimal := strings.Trim(m.Reveal(), "0123456789") == ""
	if distinct < leastBytes || distances < leastSteps || text || decimal {
		return ErrWeakMaster
	}
	return nil
}
