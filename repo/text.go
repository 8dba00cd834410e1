package repo

import (
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"

	"astrolabe/cache"
)

// texts remembers the statements that Text has made. They are few: their
// templates are constants, and their numbers are those of chains and of RowsFor.
var texts = cache.Must(lru.New[template, string](1024))

// template is a statement before its numbers are put in.
type template struct {
	format  string
	numbers [2]int
}

// Text formats a statement with one or two numbers, the chain's code and mostly a
// row limit, and caches the result.
func Text(format string, numbers ...int) string {
	key := template{format: format}
	copy(key.numbers[:], numbers)
	text, known := texts.Get(key)
	if known {
		return text
	}
	switch len(numbers) {
	case 1:
		text = fmt.Sprintf(format, numbers[0])
	default:
		text = fmt.Sprintf(format, numbers[0], numbers[1])
	}
	texts.Add(key, text)
	return text
}
