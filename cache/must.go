package cache

// Must panics on the error of a cache constructor, which only an invalid constant
// size causes.
func Must[C any](made C, err error) C {
	if err != nil {
		panic(err)
	}
	return made
}
