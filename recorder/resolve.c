#include "resolve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ADDRESSES 8

bool resolve_split(const char *url, char *host, size_t host_cap, char *port, size_t port_cap)
{
    bool socks = strncasecmp(url, "socks5h://", 10) == 0;
    bool tls = strncasecmp(url, "https://", 8) == 0;
    if (!socks && !tls && strncasecmp(url, "http://", 7) != 0)
        return false;
    const char *at = url + (socks ? 10 : tls ? 8 : 7);
    const char *end = at + strcspn(at, "/?#");
    const char *host_end = *at == '[' ? memchr(at, ']', (size_t)(end - at)) : memchr(at, ':', (size_t)(end - at));
    const char *colon = host_end;
    if (*at == '[') {
        if (!host_end)
            return false;
        colon = host_end + 1 < end && host_end[1] == ':' ? host_end + 1 : NULL;
        at++;
    } else if (!host_end) {
        host_end = end;
    }
    size_t host_n = (size_t)(host_end - at), port_n = colon ? (size_t)(end - colon - 1) : 0;
    if (host_n == 0 || host_n >= host_cap || port_n >= port_cap)
        return false;
    memcpy(host, at, host_n);
    host[host_n] = '\0';
    if (port_n > 0)
        snprintf(port, port_cap, "%.*s", (int)port_n, colon + 1);
    else
        snprintf(port, port_cap, "%s", tls ? "443" : "80");
    return true;
}

static bool is_address(const char *host)
{
    struct in6_addr any;
    return inet_pton(AF_INET, host, &any) == 1 || inet_pton(AF_INET6, host, &any) == 1;
}

static size_t add_address(const struct addrinfo *a, char *out, size_t cap, bool first)
{
    char text[INET6_ADDRSTRLEN + 16];
    if (getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof(text), NULL, 0, NI_NUMERICHOST) != 0 || strchr(text, '%'))
        return 0;
    bool v6 = a->ai_family == AF_INET6;
    int n = snprintf(out, cap, "%s%s%s%s", first ? "" : ",", v6 ? "[" : "", text, v6 ? "]" : "");
    return n > 0 && (size_t)n < cap ? (size_t)n : 0;
}

static bool look_up(const char *host, const char *port, char *out, size_t cap)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC}, *list = NULL;
    if (getaddrinfo(host, port, &hints, &list) != 0)
        return false;
    int lead = snprintf(out, cap, "%s:%s:", host, port), addresses = 0;
    size_t used = lead > 0 && (size_t)lead < cap ? (size_t)lead : 0;
    for (const struct addrinfo *a = list; used && a && addresses < MAX_ADDRESSES; a = a->ai_next) {
        size_t n = add_address(a, out + used, cap - used, addresses == 0);
        used += n;
        addresses += n > 0;
    }
    freeaddrinfo(list);
    out[addresses ? used : 0] = '\0';
    return addresses > 0;
}

static void look_up_in_child(int to, const char *host, const char *port, char *out, size_t cap)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bool found = look_up(host, port, out, cap);
    _exit(found && write(to, out, strlen(out)) > 0 ? 0 : 1);
}

/* Less than a pipe takes at once: it comes whole or not at all. */
static size_t read_in_time(int from, int patience_ms, char *out, size_t cap)
{
    struct pollfd p = {.fd = from, .events = POLLIN};
    int ready;
    do
        ready = poll(&p, 1, patience_ms);
    while (ready < 0 && errno == EINTR);
    ssize_t n = ready > 0 ? read(from, out, cap) : 0;
    return n > 0 ? (size_t)n : 0;
}

/* getaddrinfo() takes as long as it likes and cannot be called off; a process can. */
bool resolve_url(const char *url, int patience_ms, char *out, size_t cap)
{
    char host[256], port[16];
    int ends[2];
    out[0] = '\0';
    if (!resolve_split(url, host, sizeof(host), port, sizeof(port)) || is_address(host) || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        look_up_in_child(ends[1], host, port, out, cap);
    close(ends[1]);
    size_t n = child > 0 ? read_in_time(ends[0], patience_ms, out, cap - 1) : 0;
    out[n] = '\0';
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    return n > 0;
}

static bool is_address_list(const char *list)
{
    for (const char *p = list;; p++) {
        char one[INET6_ADDRSTRLEN + 2];
        size_t n = strcspn(p, ","), bracket = n > 2 && p[0] == '[' && p[n - 1] == ']';
        if (n == 0 || n - 2 * bracket >= sizeof(one))
            return false;
        memcpy(one, p + bracket, n - 2 * bracket);
        one[n - 2 * bracket] = '\0';
        if (!is_address(one))
            return false;
        p += n;
        if (*p == '\0')
            return true;
    }
}

const char *resolve_given_fault(const char *text, const char *url)
{
    char host[256] = "", port[16] = "", wanted[256 + 16];
    const char *colon = strchr(text, ':'), *second = colon ? strchr(colon + 1, ':') : NULL;
    if (!second || !is_address_list(second + 1))
        return "is not HOST:PORT:ADDR: give the addresses (IPv4 or IPv6, not names) behind host and port";
    resolve_split(url, host, sizeof(host), port, sizeof(port));
    if (is_address(host))
        return "has nothing to resolve: the server (or proxy) is given by its address; leave it out";
    int n = snprintf(wanted, sizeof(wanted), "%s:%s", host, port);
    if (n != second - text || strncasecmp(text, wanted, (size_t)n) != 0)
        return "names another host or port than the one that is connected to: correct it";
    return NULL;
}
