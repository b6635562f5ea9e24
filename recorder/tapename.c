#include "tapename.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MODEL_BYTES 100 /* of 255 that a file name has; ".head" and the like come behind */

char *tapename_of_output(const char *output)
{
    static const char suffix[] = ".json";
    size_t n = strlen(output), tail = sizeof suffix - 1;
    if (n >= tail && strcmp(output + n - tail, suffix) == 0)
        n -= tail;
    char *path = malloc(n + sizeof ".tape");
    if (!path)
        return NULL;
    memcpy(path, output, n);
    memcpy(path + n, ".tape", sizeof ".tape");
    return path;
}

char *tapename_of_start(const char *utc_start, const char *model)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    char safe[MAX_MODEL_BYTES + 1];
    size_t n = 0;
    for (; model[n] && n < MAX_MODEL_BYTES; n++)
        safe[n] = '-';
    safe[n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (strchr(plain, model[i]))
            safe[i] = model[i];
    char *path = NULL;
    return asprintf(&path, "%s-%s.tape", utc_start, safe) < 0 ? NULL : path;
}
