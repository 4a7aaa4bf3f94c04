from a_package_that_nobody_has.part import thing  # noqa: F401
