#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

static int load(struct library *library, struct error *err)
{
	void *handle = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return error_set(err, ERROR_IO, "cannot load a library: %s", dlerror());
	for (uint32_t i = 0; i < library->call_count; i++) {
		void *address = dlsym(handle, library->calls[i].name);

		if (!address)
			return error_set(err, ERROR_IO, "%s has no %s", library->soname,
				library->calls[i].name);
		memcpy((char *)library->table + library->calls[i].offset, &address,
			sizeof(address));
	}
	library->loaded = true;
	return 0;
}

int library_load(struct library *library, struct error *err)
{
	int status = 0;

	pthread_mutex_lock(&library->lock);
	if (!library->loaded)
		status = load(library, err);
	pthread_mutex_unlock(&library->lock);
	return status;
}
