package domain

// Page is one page of an ordered list. Next is the position of its last item,
// and nil on the last page.
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

// CutPage makes a page of the rows of a query that fetched limit+1 rows: the
// extra row only shows that there is a next page.
func CutPage[T any](rows []T, limit int, position func(T) Position) Page[T] {
	if len(rows) <= limit {
		return Page[T]{Items: rows}
	}
	kept := rows[:limit]
	return Page[T]{Items: kept, Next: position(kept[limit-1])}
}

// Batch is a part of a list that is read in the order in which it grows. Next
// is the first position that was not read yet: the next batch begins with it.
type Batch[T any] struct {
	Items []T
	Next  Position
}

// CutBatch makes a batch of the rows of a query that fetched limit+1 rows. When
// no row is left over, the next batch begins at end.
func CutBatch[T any](rows []T, limit int, position func(T) Position, end Position) Batch[T] {
	if len(rows) <= limit {
		return Batch[T]{Items: rows, Next: end}
	}
	kept := rows[:limit]
	return Batch[T]{Items: kept, Next: position(kept[limit-1]).Following()}
}
