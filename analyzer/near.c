#include "near.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 63u
#define SHOWN 5u

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein: characters to add, drop or replace; of long ones the beginnings. */
static size_t distance(const char *a, const char *b)
{
    size_t n = least(strlen(a), LONGEST), m = least(strlen(b), LONGEST), row[LONGEST + 1];
    for (size_t k = 0; k <= m; k++)
        row[k] = k;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= m; k++) {
            size_t replaced = diagonal + (a[i - 1] != b[k - 1]);
            diagonal = row[k];
            row[k] = least(replaced, least(row[k], row[k - 1]) + 1);
        }
    }
    return row[m];
}

/* Part of it, or a slip of the hand in about every fourth letter. */
static bool is_near(const char *wanted, const char *name, size_t apart)
{
    return (wanted[0] && strstr(name, wanted)) || apart <= 1 + least(strlen(wanted), LONGEST) / 4;
}

const char *near_names(const char *wanted, const char *(*name)(size_t i), size_t n, char out[NEAR_BYTES])
{
    size_t used = 0, shown = 0;
    out[0] = '\0';
    for (size_t apart = 0; apart <= LONGEST && shown < SHOWN; apart++)
        for (size_t i = 0; i < n && shown < SHOWN; i++) {
            if (distance(wanted, name(i)) != apart || !is_near(wanted, name(i), apart))
                continue;
            int more = snprintf(out + used, NEAR_BYTES - used, "%s%s", shown ? ", " : "", name(i));
            if (more < 0 || used + (size_t)more >= NEAR_BYTES) {
                out[used] = '\0';
                return out;
            }
            used += (size_t)more;
            shown++;
        }
    return out;
}
