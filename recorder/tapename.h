/* Where the tape goes when --tape does not say. */
#ifndef RECORDER_TAPENAME_H
#define RECORDER_TAPENAME_H

/* X.tape for X.json, X.tape for any other X; malloc'd, NULL: no memory. */
char *tapename_of_output(const char *output);
/* UTC start and model, in the working directory; characters that a path might mind become '-'. */
char *tapename_of_start(const char *utc_start, const char *model);

#endif
