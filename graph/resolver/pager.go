package resolver

import (
	"context"

	"github.com/graph-gophers/dataloader/v7"

	"astrolabe/domain"
	"astrolabe/graph/cohort"
)

// owner is a pointer to an object that has lists.
type owner[P any] interface {
	member[P]
	Node
	list(ctx context.Context, parent string, first *int, after *string) (*listing, error)
}

// pager reads a page for each of several parents and makes objects of the rows.
type pager[K comparable, V, S any] struct {
	read   func(domain.PageRequest) dataloader.BatchFunc[K, V]
	slices func(*cohort.Batch[K, V]) []S
}

// pagesOf makes batch functions of a service that reads pages.
func pagesOf[K comparable, V any](on onChain, service func(context.Context, domain.Chain, []K, domain.PageRequest) ([]V, error)) func(domain.PageRequest) dataloader.BatchFunc[K, V] {
	return func(page domain.PageRequest) dataloader.BatchFunc[K, V] {
		return cohort.All(func(ctx context.Context, keys []K) ([]V, error) { return service(ctx, on.chain, keys, page) })
	}
}

// toMany resolves a field that leads to a list and returns the requested page.
// First pages are loaded for the whole cohort. A cursor belongs to the list of
// one parent, so later pages are loaded for that parent alone.
func toMany[P owner[P], K comparable, V, S any](ctx context.Context, parent P, first *int, after *string, key func(P) K, pages pager[K, V, S]) (page S, l *listing, err error) {
	if l, err = parent.list(ctx, parent.ID(), first, after); err != nil {
		return page, nil, err
	}
	c, own := parent.cohort(), key(parent)
	look := lookup[K, V, S]{cohort.Fact[K, V]{Kind: l.kind, Read: pages.read(l.request)}, pages.slices}
	if l.request.After != nil {
		page, err = look.load(ctx, c.Cache, []K{own}).get(own)
		return page, l, err
	}
	page, err = cohort.Once(c, l.kind, func() found[K, V, S] {
		return look.load(ctx, c.Cache, cohort.Keys(c, requiredKey(key)))
	}).get(own)
	return page, l, err
}

// connect resolves a field that leads to an ordinary connection. count returns
// its total count; it is nil if the total is unknown.
func connect[P owner[P], K comparable, V, T any](ctx context.Context, parent P, first *int, after *string, key func(P) K, pages pager[K, V, slice[T]],
	count func(context.Context) (total, error)) (*Connection[T], error) {
	page, l, err := toMany(ctx, parent, first, after, key, pages)
	if err != nil {
		return nil, err
	}
	return &Connection[T]{slice: page, list: l, count: count}, nil
}

// coveredPage is a page of rows with its coverage.
type coveredPage[R any] struct {
	domain.Page[R]
	coverage *domain.Coverage // nil if unknown
}

// coverPages adds the coverage to pages: one for all, or one for each.
func coverPages[R any](pages []domain.Page[R], coverage ...domain.Coverage) []coveredPage[R] {
	list := make([]coveredPage[R], len(pages))
	for i, page := range pages {
		list[i] = coveredPage[R]{page, &coverage[min(i, len(coverage)-1)]}
	}
	return list
}

// withoutCoverage makes pages without coverage.
func withoutCoverage[R any](pages []domain.Page[R]) []coveredPage[R] {
	return convert(pages, func(page domain.Page[R]) coveredPage[R] { return coveredPage[R]{Page: page} })
}

// coveredSlices makes slices of pages with coverage.
func coveredSlices[R any, T member[T]](cache *cohort.Cache, pages []coveredPage[R], position func(R) domain.Position, object func(R) T) []slice[T] {
	list := slicesOf(cache, convert(pages, func(p coveredPage[R]) domain.Page[R] { return p.Page }), position, func(_ int, row R) T { return object(row) })
	for i := range list {
		if pages[i].coverage != nil {
			list[i].coverage = coverageOf(*pages[i].coverage)
		}
	}
	return list
}

type coveredPager[K comparable, R, T any] = pager[K, coveredPage[R], slice[T]]

// coveredPagerOf makes a pager of a service that returns pages with coverage.
func coveredPagerOf[K comparable, R any, T member[T]](on onChain, service func(context.Context, domain.Chain, []K, domain.PageRequest) ([]coveredPage[R], error),
	position func(R) domain.Position, object func(R) T) coveredPager[K, R, T] {
	return coveredPager[K, R, T]{pagesOf(on, service), func(b *cohort.Batch[K, coveredPage[R]]) []slice[T] {
		return coveredSlices(b.Cache, b.Values, position, object)
	}}
}
