// Nothing of its own: the source of targets whose precompiled headers others take.
