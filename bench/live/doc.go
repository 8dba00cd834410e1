// Command live opens many subscriptions to new blocks of a running program and
// measures how long after the first subscriber the others receive a block, and
// how much memory each takes in the program. ASTROLABE_API_KEY is a list of
// keys, separated by commas; with each key it opens as many streams as a caller
// may have.
package main
