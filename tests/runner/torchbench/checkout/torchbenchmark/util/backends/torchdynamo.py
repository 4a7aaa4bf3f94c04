"""Its presence says that this checkout can compile its models."""
