// Package cache adds two caches to the LRU of github.com/hashicorp/golang-lru:
// Weighted limits the total weight of its values, and Loading loads missing
// values, once for all concurrent callers. For a limit on the number of
// entries, use the library directly with Must.
//
// Nothing here runs in the background or reads a clock that it was not given,
// so tests control expiry. The package knows nothing of the domain: its users
// decide what to cache, and for how long.
package cache
