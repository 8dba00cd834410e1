package pg

import (
	"fmt"
	"maps"
	"os"
	"os/user"
	"slices"
	"strings"
)

// superuser is the one role of a new cluster.
const superuser = "astrolabe"

// ServiceRole is the role that the program works as. It is no superuser, so that
// a statement can neither read files of the machine nor run programs on it. The
// program creates it.
const ServiceRole = "astrolabe_service"

// assumedMemory is used if the memory of the machine is unknown.
const assumedMemory = 4 << 30

// settings returns the configuration of the server, sized to share the machine
// with the program.
func settings(memory uint64, socketDir string) map[string]string {
	share := func(part, least, most uint64) string {
		return fmt.Sprintf("%dMB", max(least, min(most, memory/part>>20)))
	}
	return map[string]string{
		"listen_addresses":        "",
		"port":                    port,
		"unix_socket_directories": socketDir,
		"unix_socket_permissions": "0700",

		"fsync":              "on",
		"synchronous_commit": "on",
		"full_page_writes":   "on",

		"max_connections":      "100",
		"shared_buffers":       share(8, 32, 2048),
		"effective_cache_size": share(2, 128, 1<<20),
		"maintenance_work_mem": share(32, 32, 512),
		"work_mem":             share(512, 4, 32),
		"max_wal_size":         share(8, 512, 4096),

		"jit":                         "off",
		"standard_conforming_strings": "on",
		"timezone":                    "UTC",

		// The server log goes to the log of the program, which must not contain
		// values of statements: neither their text nor the details of their
		// errors.
		"log_destination":         "stderr",
		"logging_collector":       "off",
		"log_error_verbosity":     "terse",
		"log_min_error_statement": "panic",
		"log_checkpoints":         "off",
		"log_timezone":            "UTC",
	}
}

// writeSettings writes the configuration on each start, so that a newer program
// applies its own. It extends what initdb detected, and ALTER SYSTEM, which
// Postgres reads last, overrides it.
//
// Access is restricted twice. Only the owner and root can enter the folder of
// the socket, and the kernel tells the server who connects (peer
// authentication): only the user that started it gets the two roles above. Trust
// authentication would rely on the mode of the folder alone. Peer
// authentication needs no password, and the user map lets a program of root use
// a server that runs as postgres.
//
// The roles of Options.PasswordRoles are the exception: the kernel cannot tell
// the processes of one user apart, so they prove who they are by a password.
func (f folder) writeSettings(socketDir string, o Options) error {
	caller, err := user.Current()
	if err != nil {
		return fmt.Errorf("find the name of the program's user: %w", err)
	}
	all := settings(machineMemory(), socketDir)
	all["hba_file"] = f.path("pg_hba.conf")
	all["ident_file"] = f.path("pg_ident.conf")
	maps.Copy(all, o.Settings)

	const header = "# Written on each start: changes made here are lost. ALTER SYSTEM keeps them.\n"
	var config strings.Builder
	config.WriteString(header + "include 'cluster/postgresql.conf'\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&config, "%s = %s\n", name, quoteSetting(all[name]))
	}
	files := map[string]string{
		f.config():              config.String(),
		f.path("pg_hba.conf"):   header + passwordRules(o.PasswordRoles) + "local all,replication all peer map=program\n",
		f.path("pg_ident.conf"): fmt.Sprintf("%sprogram %q %s\nprogram %[2]q %[4]s\n", header, caller.Username, superuser, ServiceRole),
	}
	for path, content := range files {
		if err := writePublic(path, content); err != nil {
			return fmt.Errorf("write the server's settings: %w", err)
		}
	}
	return nil
}

// passwordRules returns the lines of pg_hba.conf that let roles in by password.
// The first line that matches a role decides, so peer authentication never lets
// them in.
func passwordRules(roles []string) string {
	var rules strings.Builder
	for _, role := range roles {
		fmt.Fprintf(&rules, "local all %q scram-sha-256\n", role)
	}
	return rules.String()
}

// writePublic writes a file that the server user can read, independent of the
// umask.
func writePublic(path, content string) error {
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil { //nolint:gosec // not secret; another user reads it
		return err
	}
	return os.Chmod(path, 0o644) //nolint:gosec // as above
}

var settingEscapes = strings.NewReplacer(`\`, `\\`, `'`, `''`, "\n", `\n`)

func quoteSetting(value string) string { return "'" + settingEscapes.Replace(value) + "'" }
