__version__ = "9.9.9+standin"
cuda = None
git_version: str = "0123456789012345678901234567890123456789"
