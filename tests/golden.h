/* The published artifacts, where they are, and the one in the tree. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline const char *golden_folder(void)
{
    const char *folder = getenv("TOKENTAPE_GOLDEN");
    return folder && *folder ? folder : "../shared/golden";
}

static inline const char *fixture_path(char path[1024], const char *name)
{
    const char *folder = getenv("TOKENTAPE_FIXTURES");
    snprintf(path, 1024, "%s/%s", folder ? folder : "fixtures", name);
    return path;
}

static inline const char *seed_path(char path[1024])
{
    return fixture_path(path, "seed-capacity-artifact.json");
}

static inline int golden_is_json(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 5 && strcmp(e->d_name + n - 5, ".json") == 0;
}

/* Calls `each` for every file, in order of names; skips the test without a folder. */
static inline unsigned golden_each(void (*each)(const char *path, void *user), void *user)
{
    struct dirent **entries = NULL;
    int n = scandir(golden_folder(), &entries, golden_is_json, alphasort);
    if (n < 0) {
        print_message("# skipped: no golden folder at %s (set TOKENTAPE_GOLDEN)\n", golden_folder());
        skip();
    }
    for (int i = 0; i < n; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", golden_folder(), entries[i]->d_name);
        each(path, user);
        free(entries[i]);
    }
    free(entries);
    return n > 0 ? (unsigned)n : 0;
}

#endif
