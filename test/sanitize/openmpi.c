// Loaded before all libraries, so that the trace of a leak names the library of
// Open MPI that it comes from (leaks.txt).
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// Its components stay until leaks are looked for.
int dlclose(void *library) { return library == NULL; }

// Texts.  Those of the C library keep no frame pointer, so traces end in them.
int __vasprintf_chk(char **text, int flag, const char *format, va_list values) {
  (void)flag;
  va_list again;
  va_copy(again, values);
  int size = vsnprintf(NULL, 0, format, values);
  *text = size < 0 ? NULL : malloc((size_t)size + 1);
  size = *text == NULL ? -1 : vsnprintf(*text, (size_t)size + 1, format, again);
  va_end(again);
  return size;
}

int __asprintf_chk(char **text, int flag, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int size = __vasprintf_chk(text, flag, format, values);
  va_end(values);
  return size;
}
