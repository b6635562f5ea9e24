#include "room.h"

#include <sys/resource.h>
#include <unistd.h>

#include "hostfile.h"

#define RING_BYTES ((size_t)256 << 20)
#define RING_LEAST_BYTES ((size_t)4 << 20)

static enum tt_status raise_open_files(const struct options *o, struct tt_error *err)
{
    struct rlimit files;
    rlim_t need = (rlim_t)o->concurrency * (o->calibrate ? 2 : 1) + ROOM_FILES_SPARE; /* kept ones stay open */
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= need)
        return TT_OK;
    struct rlimit raised = {need, files.rlim_max > need ? files.rlim_max : need};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
        return TT_OK;
    return tt_fail(
        err, TT_USAGE, TT_NO_OFFSET,
        "--concurrency %u needs %llu open files, %llu are allowed (ulimit -n %llu first, or a lower --concurrency)",
        (unsigned)o->concurrency, (unsigned long long)need, (unsigned long long)files.rlim_max,
        (unsigned long long)need);
}

/* TAPE_NONE: not known. */
static uint64_t local_ports(const char *root)
{
    char text[64];
    hostfile_read(root, "/proc/sys/net/ipv4/ip_local_port_range", text, sizeof(text));
    uint64_t low = hostfile_number(text, "", 0), high = hostfile_number(text, "", 1);
    return low == TAPE_NONE || high == TAPE_NONE || high < low ? TAPE_NONE : high - low + 1;
}

/* All connections go to one address and port, so each needs a local port of its own. */
static enum tt_status check_ports(const struct options *o, const char *root, struct tt_error *err)
{
    bool shared = o->transport.http2 && o->connections != CONNECTIONS_FRESH;
    uint64_t there = local_ports(root);
    if (o->transport.unix_socket || shared || o->concurrency <= there)
        return TT_OK;
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                   "--concurrency %u needs as many local ports, there are %llu (sysctl -w "
                   "net.ipv4.ip_local_port_range=\"1024 65535\" first, or a lower --concurrency)",
                   (unsigned)o->concurrency, (unsigned long long)there);
}

/* The least of what the container and the limits of this process allow; TAPE_NONE: no limit. */
static uint64_t memory_allowed(const char *root)
{
    char text[64];
    int fd = hostfile_open_cgroup(root, "memory.max");
    hostfile_read_fd(fd, text, sizeof(text));
    if (fd >= 0)
        close(fd);
    uint64_t least = hostfile_number(text, "", 0);
    struct rlimit space = {RLIM_INFINITY, 0}, data = {RLIM_INFINITY, 0};
    getrlimit(RLIMIT_AS, &space);
    getrlimit(RLIMIT_DATA, &data);
    if (space.rlim_cur < least) /* RLIM_INFINITY is the greatest there is, as TAPE_NONE */
        least = space.rlim_cur;
    return data.rlim_cur < least ? data.rlim_cur : least;
}

size_t room_ring_bytes(const struct options *o, const char *root)
{
    char text[4096];
    hostfile_read(root, "/proc/meminfo", text, sizeof(text));
    uint64_t kib = hostfile_number(text, "MemTotal:", 0), allowed = memory_allowed(root);
    uint64_t eighth = (kib != TAPE_NONE && kib * 1024 < allowed ? kib * 1024 : allowed) / 8;
    if (o->ring_mib)
        return (size_t)o->ring_mib << 20;
    return eighth > RING_BYTES ? RING_BYTES : eighth < RING_LEAST_BYTES ? RING_LEAST_BYTES : (size_t)eighth;
}

static enum tt_status check_memory(const struct options *o, const char *root, struct tt_error *err)
{
    uint64_t need = ROOM_BASE_BYTES + o->concurrency * ROOM_STREAM_BYTES, allowed = memory_allowed(root);
    if (need <= allowed)
        return TT_OK;
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                   "--concurrency %u needs about %llu MB of memory, %llu MB are allowed (raise the limit of the "
                   "container or ulimit -v first, or a lower --concurrency)",
                   (unsigned)o->concurrency, (unsigned long long)(need / 1000000),
                   (unsigned long long)(allowed / 1000000));
}

enum tt_status room_make(const struct options *o, const char *root, struct tt_error *err)
{
    enum tt_status code = raise_open_files(o, err);
    if (code == TT_OK)
        code = check_ports(o, root, err);
    return code == TT_OK ? check_memory(o, root, err) : code;
}

uint32_t room_most_streams(const char *root)
{
    struct rlimit files;
    uint64_t most = UINT32_MAX, ports = local_ports(root), memory = memory_allowed(root);
    uint64_t by_memory = memory < ROOM_BASE_BYTES ? 0 : (memory - ROOM_BASE_BYTES) / ROOM_STREAM_BYTES;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max < most)
        most = files.rlim_max > ROOM_FILES_SPARE ? files.rlim_max - ROOM_FILES_SPARE : 1;
    most = ports < most ? ports : most;
    most = by_memory < most ? by_memory : most;
    return most > 0 ? (uint32_t)most : 1;
}
