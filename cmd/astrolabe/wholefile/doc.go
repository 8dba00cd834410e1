// Package wholefile writes files that are either complete and on disk or absent,
// also after a crash: keys, archives, receipts. Only their owner can read them.
package wholefile
