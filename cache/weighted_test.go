package cache_test

import (
	"testing"

	"astrolabe/cache"
)

func has(w *cache.Weighted[string, int], key string) bool {
	_, known := w.Get(key)
	return known
}

func TestMostRecentlyUsedValuesStayWithinTheWeight(t *testing.T) {
	t.Parallel()
	w := cache.NewWeighted[string, int](10)
	w.Add("used", 1, 5)
	w.Add("old", 2, 5)
	if !has(w, "used") {
		t.Fatal("got a value evicted although there was room, want it cached")
	}
	w.Add("new", 3, 5)
	if !has(w, "used") || has(w, "old") || !has(w, "new") || w.Weight() != 10 {
		t.Errorf("got %d values of weight %d, want used and new of weight 10", w.Len(), w.Weight())
	}
	w.Add("huge", 4, 11)
	if has(w, "huge") || w.Len() != 2 {
		t.Errorf("got %d values, want 2: a value that cannot fit is not stored and evicts nothing", w.Len())
	}
	w.Add("new", 5, 2)
	if value, _ := w.Get("new"); value != 5 || w.Len() != 2 || w.Weight() != 7 {
		t.Errorf("got %d, %d values and weight %d; want 5, 2 and 7", value, w.Len(), w.Weight())
	}
	w.Purge()
	if w.Len() != 0 || w.Weight() != 0 {
		t.Errorf("after Purge: got %d values of weight %d, want none", w.Len(), w.Weight())
	}
}

func TestPutDropsNothingUntilTrim(t *testing.T) {
	t.Parallel()
	w := cache.NewWeighted[string, int](12)
	w.Put("a", 1, 8)
	w.Put("b", 2, 8)
	w.Put("c", 3, 1)
	w.Put("c", 3, 1)
	if !has(w, "a") || !has(w, "b") || !has(w, "c") || w.Weight() != 17 {
		t.Errorf("before Trim: got %d values of weight %d, want 3 of 17", w.Len(), w.Weight())
	}
	w.Trim()
	if has(w, "a") || !has(w, "c") || !has(w, "b") || w.Weight() != 9 {
		t.Errorf("after Trim: got %d values of weight %d, want b and c of 9", w.Len(), w.Weight())
	}
	w.Put("d", 4, 4)
	w.Trim()
	if has(w, "c") || !has(w, "b") || !has(w, "d") {
		t.Error("got the least recently used value, want it evicted")
	}
}

func TestCacheWithoutCapacityStoresNothing(t *testing.T) {
	t.Parallel()
	w := cache.NewWeighted[string, int](0)
	w.Add("a", 1, 1)
	if w.Len() != 0 {
		t.Errorf("got %d values, want none", w.Len())
	}
}
