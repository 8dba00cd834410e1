package telemetry

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// started is when the process started, near enough to tell two processes
// apart.
var started = time.Now()

// writeProcess adds what the system knows of the process to a page; what this
// system does not tell is left out.
func writeProcess(p *page) {
	p.reading("gauge", "process_start_time_seconds", "When the process started, in seconds since 1970.", float64(started.UnixMilli())/1000)
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) == nil {
		spent := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		p.reading("counter", "process_cpu_seconds_total", "Processor time that the process has used.", spent.Seconds())
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		p.reading("gauge", "process_max_fds", "Files that the process may have open.", float64(limit.Cur))
	}
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil {
		p.reading("gauge", "process_virtual_memory_max_bytes", "Addresses that the process may use.", float64(limit.Cur))
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.reading("gauge", "process_open_fds", "Files that the process has open.", float64(len(files)-1)) // one is the folder
	}
	writeMemory(p)
	writeTraffic(p)
}

// writeMemory adds the sizes in /proc/self/statm, which are in pages.
func writeMemory(p *page) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	sizes := numbers(strings.Fields(string(statm)))
	if len(sizes) < 2 {
		return
	}
	bytes := float64(os.Getpagesize())
	p.reading("gauge", "process_virtual_memory_bytes", "Addresses that the process uses.", sizes[0]*bytes)
	p.reading("gauge", "process_resident_memory_bytes", "Memory that the process occupies.", sizes[1]*bytes)
}

// writeTraffic adds the bytes of the process's network. The file has pairs of
// lines that start alike: names, then numbers.
func writeTraffic(p *page) {
	netstat, err := os.ReadFile("/proc/self/net/netstat")
	if err != nil {
		return
	}
	var names []string
	for line := range strings.Lines(string(netstat)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "IpExt:" {
			continue
		}
		if names == nil {
			names = fields[1:]
			continue
		}
		for i, octets := range numbers(fields[1:]) {
			switch names[i] {
			case "InOctets":
				p.reading("counter", "process_network_receive_bytes_total", "Bytes received by the network that the process is in.", octets)
			case "OutOctets":
				p.reading("counter", "process_network_transmit_bytes_total", "Bytes sent by the network that the process is in.", octets)
			}
		}
	}
}

// numbers reads fields up to the first that is not a number.
func numbers(fields []string) []float64 {
	var out []float64
	for _, field := range fields {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			break
		}
		out = append(out, n)
	}
	return out
}
