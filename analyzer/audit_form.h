/* The keys of each object of a result, by generation: private to audit_form*.c. */
#ifndef ANALYZER_AUDIT_FORM_H
#define ANALYZER_AUDIT_FORM_H

#include "audit_parts.h"

enum { /* types a value may have */
       FORM_TEXT = 1,
       FORM_INTEGER = 2,
       FORM_DOUBLE = 4,
       FORM_BOOL = 8,
       FORM_OBJECT = 16,
       FORM_ARRAY = 32,
       FORM_NULL = 64,
       FORM_OPTIONAL = 128 /* the key may be absent */
};

struct form_field {
    const char *key;
    unsigned types;
    enum artifact_generation since;
};

enum form_object {
    FORM_TOP,
    FORM_POPULATION,
    FORM_SAMPLING,
    FORM_PARAMETER,
    FORM_SERVE_FLAGS,
    FORM_METHODOLOGY,
    FORM_ROW,
    FORM_FAILURE,
    FORM_METADATA,
    FORM_USAGE,
    FORM_CANARY,
    FORM_CONTROLLED,
    FORM_TRACE, /* from here on: objects that grow with the program, what is more in them is let be */
    FORM_TRACE_ACCOUNTS,
    FORM_TRACE_CONNECTIONS,
    FORM_TRACE_OVERLAP,
    FORM_TRACE_POLICY,
    FORM_TRACE_TAPE,
    FORM_TRACE_REQUEST,
    FORM_TRACE_CANARY,
    FORM_TRACE_CONTROLLED,
    FORM_TRACE_WARNING,
    FORM_TRACE_TIMING,
    FORM_TIMING_CALIBRATION,
    FORM_TIMING_ERRORS,
    FORM_TIMING_LAGS,
    FORM_TIMING_LIMIT,
    FORM_TIMING_MARKS,
    FORM_TIMING_CLOCK,
    FORM_TIMING_HOST,
    FORM_TIMING_LOOP,
    FORM_TIMING_READS,
    FORM_OBJECTS
};

/* Sorted by nothing; ends with a NULL key. */
const struct form_field *form_fields(enum form_object object);
/* The generation in which a key of `metrics` came up, and its types. */
void form_metric(const char *key, enum artifact_generation *since, unsigned *types);

#endif
