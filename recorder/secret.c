#include "secret.h"

#include <stdlib.h>
#include <string.h>

#include "../format/bytes.h"
#include "text.h"

bool secret_is_variable_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t n = strlen(name);
    return n > 0 && n <= 128 && strspn(name, letters) == n && !(name[0] >= '0' && name[0] <= '9');
}

enum tt_status secret_of_variable(const char *flag, const char *name, const char *what, char **out,
                                  struct tt_error *err)
{
    *out = NULL;
    if (!secret_is_variable_name(name))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s is no name of an environment variable: give the name, not %s",
                       flag, what);
    const char *text = getenv(name);
    if (!text || text[0] == '\0')
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s %s: that environment variable is %s: export %s in it", flag,
                       name, text ? "empty" : "not set", what);
    if (text_has_control(text) || !text_is_utf8(text))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "%s %s: %s holds a control character or a byte that is not text: export it "
                       "without (a line end at its end?)",
                       flag, name, what);
    if (strlen(text) > SECRET_MAX_BYTES)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s %s: %s is longer than %d bytes: is it the right variable?",
                       flag, name, what, SECRET_MAX_BYTES);
    *out = strdup(text);
    return *out ? TT_OK : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for %s", what);
}

void secret_free(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

bool secret_list_add(struct secret_list *list, const char *bytes, size_t n)
{
    char *copy = strndup(bytes, n);
    char **at = copy ? realloc(list->at, (list->n + 1) * sizeof *at) : NULL;
    if (!at) {
        secret_free(copy);
        return false;
    }
    list->at = at;
    list->at[list->n++] = copy;
    return true;
}

void secret_list_clear(struct secret_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        secret_free(list->at[i]);
    free(list->at);
    *list = (struct secret_list){0};
}
