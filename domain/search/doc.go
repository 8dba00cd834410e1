// Package search finds blocks by number or hash, transactions, classes and
// messages by hash, addresses by address or label, and tokens by symbol or
// name.
//
// A search uses indexes only and never scans history. It returns kinds and IDs;
// the services of the other packages read the objects.
package search
