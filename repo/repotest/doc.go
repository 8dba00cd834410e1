// Package repotest provides a migrated database for each test. Only tests
// import it.
package repotest
