// Package pace decides when a call may be sent to an upstream node.
//
// A Pacer limits the calls to one upstream: how many are in flight, how many are
// sent per second, and until when none is sent because the upstream asked for a
// pause. It adapts to the answers, so that an upstream with an unknown rate limit
// is used almost as much as it allows, with few refused calls.
//
// The adaptive policies of failsafe-go do not serve here: its limiter changes only
// the number of concurrent calls, by the trend of their durations, and its throttler
// drops calls at random after failures. A rate limit counts calls per second and
// refuses them at once, with a pause, without the calls before becoming slower.
//
// This package does not send anything, and does not know what a call is.
package pace
