/*
 * The registry: every name is an engine's, and every engine has a name; one of
 * them routes any fabric.
 */
#include <check.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "tests/unit/suite.h"

TEST(names)
{
	const struct schema_module *const *m = registry_modules();

	for (size_t i = 0; m[i] != NULL; i++) {
		const struct engine *e = registry_find(m[i]->name);

		ck_assert_msg(e != NULL, "%s", m[i]->name);
		ck_assert_str_eq(e->module.name, m[i]->name);
		ck_assert((e->route != NULL) ==
			  ((e->caps & ENGINE_CHOOSES) == 0));
		ck_assert_ptr_eq(registry_name_of(m[i]->name), e->module.name);
		for (size_t k = 0; k < i; k++)
			ck_assert_str_ne(m[i]->name, m[k]->name);
	}
	ck_assert_ptr_null(registry_find("minhop"));
	ck_assert_ptr_null(registry_find(NULL));
	ck_assert_int_ne(registry_last()->caps & ENGINE_ANY_FABRIC, 0);
}
