package cache

// Must returns a cache whose size is a constant: that a size below 1 is an
// error of the library cannot happen then.
func Must[C any](made C, err error) C {
	if err != nil {
		panic(err)
	}
	return made
}
