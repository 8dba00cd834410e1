package sandbox

import "strings"

// allowedCalls are the system calls that programs may use: files, memory, threads, processes, signals,
// time. Absent on purpose: sockets, mounts, namespaces, ptrace and access to other processes' memory,
// keyrings, BPF, performance counters, userfaultfd, io_uring, modules, kexec, personalities, shared memory
// segments and memfd, changes of users and capabilities, device nodes.
var allowedCalls = strings.Fields(`
	read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2
	open openat openat2 creat close close_range dup dup2 dup3 pipe pipe2
	stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2
	lseek readlink readlinkat getdents getdents64 getcwd chdir fchdir
	mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat
	chmod fchmod fchmodat fchmodat2 umask truncate ftruncate fallocate fsync fdatasync sync_file_range
	utime utimes utimensat futimesat flock fcntl ioctl copy_file_range sendfile splice tee fadvise64 readahead
	poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
	eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime signalfd signalfd4
	munmap mremap mprotect madvise mincore msync brk membarrier
	futex futex_waitv set_robust_list get_robust_list rseq set_tid_address arch_prctl prctl
	fork vfork execve execveat exit exit_group wait4 waitid pidfd_open pidfd_send_signal
	getpid gettid getppid getpgid getpgrp getsid setpgid setsid
	getuid geteuid getgid getegid getgroups getresuid getresgid capget
	uname sysinfo getrusage times getrlimit setrlimit getpriority getrandom getcpu
	sched_yield sched_getaffinity sched_setaffinity sched_getparam sched_getscheduler
	sched_get_priority_max sched_get_priority_min sched_rr_get_interval
	clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time alarm pause
	setitimer getitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete
	rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait rt_sigqueueinfo
	rt_tgsigqueueinfo sigaltstack kill tkill tgkill restart_syscall
`)

// socketCalls are refused, so that no network, loopback or unix socket can be reached. Tests allow them
// to show that the measure works.
var socketCalls = strings.Fields(`
	socket socketpair connect bind listen accept accept4 sendto recvfrom sendmsg recvmsg shutdown
	getsockname getpeername getsockopt setsockopt
`)
