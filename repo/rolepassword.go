package repo

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/uptrace/bun"
)

// SetRolePassword lets an existing role log in with a password of printable ASCII
// characters. The server and its logs see only the SCRAM verifier of the
// password, with which nobody can log in. The database is that of a superuser,
// or of a role that may administer this one.
func SetRolePassword(ctx context.Context, db *DB, role, password string) error {
	if password == "" || strings.ContainsFunc(password, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the password of a database role must have printable ASCII characters only")
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // which never fails
	verifier, err := scramVerifier(password, salt)
	if err != nil {
		return err
	}
	if _, err := db.Write().NewRaw("/* role.password */ ALTER ROLE ? LOGIN PASSWORD ?", bun.Ident(role), verifier).Exec(ctx); err != nil {
		return fmt.Errorf("set the password of the database role %s: %w", role, err)
	}
	return nil
}

// scramIterations is the number that Postgres uses itself.
const scramIterations = 4096

// scramVerifier returns what Postgres stores of a password (RFC 5803, RFC 7677).
// pgx has only the client's side of SCRAM, and a library for the server's side
// would be a new dependency for a few calls of crypto.
func scramVerifier(password string, salt []byte) (string, error) {
	salted, err := pbkdf2.Key(sha256.New, password, salt, scramIterations, sha256.Size)
	if err != nil {
		return "", err
	}
	keyed := func(text string) []byte {
		mac := hmac.New(sha256.New, salted)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	stored := sha256.Sum256(keyed("Client Key"))
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", scramIterations, encode(salt), encode(stored[:]), encode(keyed("Server Key"))), nil
}
