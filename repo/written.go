package repo

import (
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"

	"astrolabe/cache"
)

// statements are those that were written, which are few: their forms are
// constants, and their numbers are those of chains and of rowsFor.
var statements = cache.Must(lru.New[form, string](1024))

// form is a statement before its numbers are put in.
type form struct {
	format  string
	numbers [2]int
}

func written(format string, numbers ...int) string { return Text(format, numbers...) }

// Text puts one or two numbers into the text of a statement, once for all
// requests: the chain's, and how many rows it asks for.
func Text(format string, numbers ...int) string {
	asked := form{format: format}
	copy(asked.numbers[:], numbers)
	text, known := statements.Get(asked)
	if known {
		return text
	}
	switch len(numbers) {
	case 1:
		text = fmt.Sprintf(format, numbers[0])
	default:
		text = fmt.Sprintf(format, numbers[0], numbers[1])
	}
	statements.Add(asked, text)
	return text
}
