/* Runs a fuzz target over the files it is given, each also cut short at a few places. */
#include <stdio.h>

#include "fuzz.h"

#define MAX_INPUT (4u << 20)

static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *p = malloc(MAX_INPUT);
    if (!f || !p) {
        fprintf(stderr, "cannot read %s\n", path);
        return 1;
    }
    size_t n = fread(p, 1, MAX_INPUT, f);
    fclose(f);
    LLVMFuzzerTestOneInput(p, n);
    for (size_t part = 1; part < 8; part++)
        LLVMFuzzerTestOneInput(p, n * part / 8);
    free(p);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= replay(argv[i]);
    printf("%d inputs\n", argc - 1);
    return failed || argc < 2;
}
