package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ownGroup returns the folder of the cgroup of this process: of a controller in version 1, or of
// version 2 if the controller is empty.
func ownGroup(controller string) (string, error) {
	membership, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	return groupFolder(string(membership), string(mounts), controller)
}

// groupFolder finds the cgroup in the texts of /proc/self/cgroup and /proc/self/mountinfo.
func groupFolder(membership, mounts, controller string) (string, error) {
	own := ""
	for line := range strings.Lines(membership) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) == 3 && slices.Contains(strings.Split(fields[1], ","), controller) && (controller != "" || fields[0] == "0") {
			own = fields[2]
		}
	}
	if own == "" {
		return "", fmt.Errorf("no cgroup controller %q", controller)
	}
	kind := "cgroup"
	if controller == "" {
		kind = "cgroup2"
	}
	for line := range strings.Lines(mounts) {
		before, after, _ := strings.Cut(line, " - ")
		place, source := strings.Fields(before), strings.Fields(after)
		if len(place) < 5 || len(source) < 3 || source[0] != kind {
			continue
		}
		if controller != "" && !slices.Contains(strings.Split(source[2], ","), controller) {
			continue
		}
		relative, err := filepath.Rel(place[3], own)
		if err != nil || !filepath.IsLocal(relative) {
			continue
		}
		return filepath.Join(place[4], relative), nil
	}
	return "", fmt.Errorf("the cgroup controller %q is not mounted", controller)
}
