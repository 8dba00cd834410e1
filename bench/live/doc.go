// Command live opens many subscribers to new blocks of a running program and
// measures how long after the first of them the others are told of a block,
// and how much memory each takes in the program. ASTROLABE_API_KEY holds keys,
// separated by commas; as many streams as a caller may have are opened with
// each.
package main
