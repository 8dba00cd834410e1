package source

import (
	"path"
	"strings"
)

// match returns the members of the workspace at the root, sorted by folder. As
// in Scarb, hidden folders and folders without a manifest are skipped.
func (c *Check) match(root *manifest) ([]*manifest, error) {
	if len(root.workspace.members) > maxMembers {
		return nil, rejectf("\"Scarb.toml\": workspace.members has more than %d entries. Use patterns such as \"packages/*\".", maxMembers)
	}
	patterns := make([][]string, len(root.workspace.members))
	for i, member := range root.workspace.members {
		patterns[i] = strings.Split(strings.ReplaceAll(path.Clean(member), "[!", "[^"), "/")
		for _, name := range patterns[i] {
			if _, err := path.Match(name, ""); err != nil {
				return nil, rejectf("\"Scarb.toml\": the pattern %s of workspace.members is malformed.", quote(member))
			}
		}
	}
	var members []*manifest
	for _, m := range c.all() {
		if m == root || m.name == "" || strings.HasPrefix(path.Base(m.folder), ".") {
			continue
		}
		names := strings.Split(m.folder, "/")
		for _, pattern := range patterns {
			if matchNames(pattern, names) {
				members = append(members, m)
				break
			}
		}
	}
	return members, nil
}

// matchNames matches a pattern name by name, where "**" stands for any number
// of names. It takes at most len(pattern) × len(names) steps: after a mismatch,
// only the last "**" takes one name more.
func matchNames(pattern, names []string) bool {
	p, n, star, taken := 0, 0, -1, 0
	for n < len(names) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, taken, p = p, n, p+1
		case p < len(pattern) && matchName(pattern[p], names[n]):
			p, n = p+1, n+1
		case star >= 0:
			taken++
			p, n = star+1, taken
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

func matchName(pattern, name string) bool {
	matched, err := path.Match(pattern, name)
	return matched && err == nil
}
