fallback_random = False
