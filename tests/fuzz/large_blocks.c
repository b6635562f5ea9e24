/* Keeps blocks of 1 MiB and more that the code under test frees, and gives them out again: under the
 * address sanitizer a reader's two buffers cost more time than all its reading. A kept block is poisoned,
 * so a use after free is seen as before. Linked with --wrap=malloc --wrap=free, under that sanitizer only. */
#include <stddef.h>
#include <stdlib.h>

#include <malloc.h>
#include <sanitizer/asan_interface.h>

#define LEAST_BYTES (1u << 20)
#define KEPT 8u

static struct {
    void *p;
    size_t n;
} kept[KEPT];

void *__real_malloc(size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void __wrap_free(void *p);

void *__wrap_malloc(size_t n)
{
    for (size_t i = 0; n >= LEAST_BYTES && i < KEPT; i++) {
        void *p = kept[i].p;
        if (!p || kept[i].n != n)
            continue;
        kept[i].p = NULL;
        ASAN_UNPOISON_MEMORY_REGION(p, n);
        return p;
    }
    return __real_malloc(n);
}

void __wrap_free(void *p)
{
    size_t n = p ? malloc_usable_size(p) : 0; /* under the sanitizer: what was asked for */
    for (size_t i = 0; n >= LEAST_BYTES && i < KEPT; i++) {
        if (kept[i].p)
            continue;
        kept[i].p = p;
        kept[i].n = n;
        ASAN_POISON_MEMORY_REGION(p, n);
        return;
    }
    __real_free(p);
}
