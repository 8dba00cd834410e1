package cache

// Must panics on the error of a cache constructor. Only an invalid constant
// size causes one.
func Must[C any](made C, err error) C {
	if err != nil {
		panic(err)
	}
	return made
}
