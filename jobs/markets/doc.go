// Package markets stores the pools that known factories created.
//
// A run continues to read the events of each factory where the last one
// stopped, in finalized blocks only, and stores their pools by token. So the
// pools of a token are found without reading the whole history of a factory.
// Requests read newer events directly, so a list never waits for this job.
package markets
