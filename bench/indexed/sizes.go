package indexed

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ParseSizes reads a list of growing numbers of events.
func ParseSizes(text string) ([]int, error) {
	var sizes []int
	for word := range strings.FieldsSeq(text) {
		n, err := strconv.Atoi(word)
		if err != nil || n < leastEvents || len(sizes) > 0 && n <= sizes[len(sizes)-1] {
			return nil, fmt.Errorf("%q is no list of growing numbers from %d on", text, leastEvents)
		}
		sizes = append(sizes, n)
	}
	if len(sizes) == 0 {
		return nil, errors.New("no size is given")
	}
	return sizes, nil
}
