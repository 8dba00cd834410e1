// Package domain holds the vocabulary that every part of Astrolabe shares:
// chains, block references, amounts, pages, cursors and errors.
//
// The packages below it hold the nouns and the decisions of one subject each
// (chain, token, account, …). None of them knows SQL, HTTP or GraphQL: what
// they need from outside they declare as small interfaces, which repo, node
// and sandbox satisfy. Facades and jobs call the domain, never the reverse.
package domain
