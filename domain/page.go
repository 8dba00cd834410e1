package domain

// Page is one bounded slice of an ordered list. Next is the position after
// its last item, and nil when the list ends here.
type Page[T any] struct {
	Items []T
	Next  Position
}

// PageRequest asks for at most Limit items that follow After; a nil After
// asks for the first page.
type PageRequest struct {
	Limit int
	After Position
}

// CutPage turns the rows of a query that fetched one row more than asked into
// a page: the extra row only proves that the list goes on. The position of
// the last kept row, as position tells it, becomes the page's Next.
func CutPage[T any](rows []T, limit int, position func(T) Position) Page[T] {
	if len(rows) <= limit {
		return Page[T]{Items: rows}
	}
	kept := rows[:limit]
	return Page[T]{Items: kept, Next: position(kept[limit-1])}
}

// Batch is what a reader finds who goes along a list in the order in which it
// grows. Next is the first position that was not looked at: the batch after
// this one begins with it.
type Batch[T any] struct {
	Items []T
	Next  Position
}

// CutBatch turns the rows of a query that fetched one row more than asked into
// a batch. One that has all rows goes on at end.
func CutBatch[T any](rows []T, limit int, position func(T) Position, end Position) Batch[T] {
	if len(rows) <= limit {
		return Batch[T]{Items: rows, Next: end}
	}
	kept := rows[:limit]
	return Batch[T]{Items: kept, Next: position(kept[limit-1]).Following()}
}
