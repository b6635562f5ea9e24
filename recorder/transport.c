#include "transport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../format/bytes.h"
#include "baseurl.h"
#include "resolve.h"
#include "text.h"

#define MAX_PEM_BYTES ((size_t)4 << 20)

static enum tt_status refuse(struct tt_error *err, const char *line)
{
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s", line);
}

/* The flag's file as a malloc'd text, at most MAX_PEM_BYTES of it. */
static enum tt_status read_file(const char *flag, const char *path, char **out, struct tt_error *err)
{
    char shown[TEXT_SHOWN_BYTES];
    struct stat st;
    size_t n = 0;
    ssize_t got = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *out = fd >= 0 ? malloc(MAX_PEM_BYTES + 1) : NULL;
    if (*out && fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
        while (n < MAX_PEM_BYTES && (got = read(fd, *out + n, MAX_PEM_BYTES - n)) > 0)
            n += (size_t)got;
    else if (*out)
        errno = EISDIR;
    int reason = errno;
    if (fd >= 0)
        close(fd);
    if (*out && got >= 0) {
        (*out)[n] = '\0';
        return TT_OK;
    }
    free(*out);
    *out = NULL;
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s %s cannot be read: %s", flag, text_shown(path, shown),
                   strerror(reason));
}

/* libcurl would say so request by request, and a library that wants a passphrase would ask on the terminal. */
static enum tt_status check_pem(const char *flag, const char *path, const char *what, bool key, struct tt_error *err)
{
    char *text, shown[TEXT_SHOWN_BYTES];
    if (!path)
        return TT_OK;
    enum tt_status code = read_file(flag, path, &text, err);
    if (code != TT_OK)
        return code;
    if (!strstr(text, key ? "PRIVATE KEY-----" : "CERTIFICATE-----"))
        code = tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s %s holds no %s: give it in PEM form", flag,
                       text_shown(path, shown), what);
    else if (key && strstr(text, "ENCRYPTED"))
        code = tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "%s %s holds an encrypted key: nobody is there to give its passphrase; decrypt it first", flag,
                       text_shown(path, shown));
    explicit_bzero(text, strlen(text));
    free(text);
    return code;
}

static enum tt_status check_tls(const struct transport *t, struct tt_error *err)
{
    const char *flag = t->cacert ? "--cacert" : t->insecure ? "--insecure" : t->cert ? "--cert" : NULL;
    if (!t->tls && flag)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "%s is for TLS and --base-url is http: write https, or leave it out", flag);
    if (t->insecure && t->cacert)
        return refuse(err, "--insecure looks at no certificate, so --cacert says nothing: leave out one of the two");
    if (t->key && !t->cert)
        return refuse(err, "--key has no certificate: give --cert FILE too");
    enum tt_status code = check_pem("--cacert", t->cacert, "certificate", false, err);
    if (code == TT_OK)
        code = check_pem("--cert", t->cert, "certificate", false, err);
    if (code == TT_OK && t->key)
        code = check_pem("--key", t->key, "private key", true, err);
    else if (code == TT_OK)
        code = check_pem("--cert", t->cert, "private key (or name its file by --key)", true, err);
    return code;
}

static enum tt_status check_socket(const struct transport *t, struct tt_error *err)
{
    char shown[TEXT_SHOWN_BYTES];
    struct stat st;
    if (!t->unix_socket)
        return TT_OK;
    if (t->resolve)
        return refuse(err, "--unix-socket needs no address, so --resolve says nothing: leave out one of the two");
    if (t->proxy)
        return refuse(err, "--unix-socket and --proxy exclude each other: leave out one of the two");
    if (strlen(t->unix_socket) >= sizeof(((struct sockaddr_un *)0)->sun_path))
        return refuse(err,
                      "--unix-socket: the path is longer than 107 bytes: give a shorter one, such as a relative one");
    if (stat(t->unix_socket, &st) != 0)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--unix-socket %s cannot be used: %s",
                       text_shown(t->unix_socket, shown), strerror(errno));
    if (!S_ISSOCK(st.st_mode))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--unix-socket %s is no socket: name the one the server listens on",
                       text_shown(t->unix_socket, shown));
    return TT_OK;
}

/* The text may hold a password: it is not shown. */
static const char *proxy_fault(const char *text)
{
    size_t scheme = strncasecmp(text, "http://", 7) == 0 ? 7 : strncasecmp(text, "socks5h://", 10) == 0 ? 10 : 0;
    if (scheme == 0)
        return "does not begin with http:// or socks5h://: other proxies are not supported";
    if (strchr(text, '@'))
        return "holds a user or password: leave it out, and name the variable that holds it by --proxy-auth-env";
    const char *host = text + scheme;
    size_t n = strcspn(host, "/?#");
    if (host[n] != '\0' && strcmp(host + n, "/") != 0)
        return "goes on behind host and port: leave that out";
    const char *bracket = memchr(host, ']', n);
    if (!memchr(bracket ? bracket : host, ':', n - (bracket ? (size_t)(bracket - host) : 0)))
        return "has no port: write http://HOST:PORT or socks5h://HOST:PORT";
    return baseurl_authority_fault(host, n);
}

static enum tt_status check_proxy(struct transport *t, struct tt_error *err)
{
    if (!t->proxy && t->proxy_auth_env)
        return refuse(err, "--proxy-auth-env has no proxy to go to: give --proxy too");
    if (!t->proxy)
        return TT_OK;
    const char *fault = proxy_fault(t->proxy);
    if (fault)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--proxy %s", fault);
    if (t->http2 && !t->tls)
        return refuse(err, "--http2 without TLS does not go through a proxy: leave out one of the two, or write https");
    if (!t->proxy_auth_env)
        return TT_OK;
    enum tt_status code =
        secret_of_variable("--proxy-auth-env", t->proxy_auth_env, "user:password", &t->proxy_login, err);
    const char *colon = code == TT_OK ? strchr(t->proxy_login, ':') : NULL;
    if (code == TT_OK && !colon)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--proxy-auth-env %s: there is no ':' in it: export user:password",
                       t->proxy_auth_env);
    if (code == TT_OK && (!secret_list_add(&t->secrets, t->proxy_login, strlen(t->proxy_login)) ||
                          !secret_list_add(&t->secrets, colon + 1, strlen(colon + 1))))
        code = tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the proxy's password");
    return code;
}

const char *transport_peer_url(const struct transport *t, const char *base_url)
{
    return t->proxy ? t->proxy : base_url;
}

enum tt_status transport_check(struct transport *t, const char *base_url, bool has_key, struct tt_error *err)
{
    t->tls = strncmp(base_url, "https:", 6) == 0;
    enum tt_status code = check_tls(t, err);
    if (code == TT_OK)
        code = check_socket(t, err);
    if (code == TT_OK)
        code = check_proxy(t, err);
    const char *fault =
        code == TT_OK && t->resolve ? resolve_given_fault(t->resolve, transport_peer_url(t, base_url)) : NULL;
    if (fault)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--resolve %s", fault);
    if (code == TT_OK)
        code = transport_make_query(t, err);
    return code == TT_OK ? transport_read_headers(t, has_key, err) : code;
}

void transport_free(struct transport *t)
{
    secret_free(t->proxy_login);
    secret_free(t->query);
    free(t->query_shown);
    secret_list_clear(&t->headers);
    secret_list_clear(&t->secrets);
    *t = (struct transport){0};
}
