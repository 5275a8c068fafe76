// Nothing of its own: the target whose precompiled headers others take.
