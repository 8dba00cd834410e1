package pg

import "time"

// RestartPause is the pause before a restart.
var RestartPause = restartPause

// MaxFailures is the number of failures after which a server gives up.
const MaxFailures = maxFailures

// WithPause makes all pauses before restarts equal.
func (o Options) WithPause(pause time.Duration) Options {
	o.pause = func(int) time.Duration { return pause }
	return o
}
