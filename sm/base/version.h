/* version: one number for both programs and the control protocol's greeting. */
#ifndef HEDDLE_SM_BASE_VERSION_H
#define HEDDLE_SM_BASE_VERSION_H

#define VERSION_TEXT "0.1.0"

#endif
