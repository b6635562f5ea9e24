/* The values of a dumped record that hold more than one scalar. */
#ifndef ANALYZER_DUMP_VALUE_H
#define ANALYZER_DUMP_VALUE_H

#include "dump_field.h"

void dump_value_map(struct json_out *o, const struct dump_field *f);
void dump_value_array(struct json_out *o, const struct dump_field *f);
void dump_value_pairs(struct json_out *o, const struct dump_field *f);
void dump_value_timers(struct json_out *o, const struct dump_field *f);
void dump_value_tcp(struct json_out *o, const struct dump_field *f);

#endif
