// Package repotest gives each test a migrated database of its own. Only tests
// import it.
package repotest
