"""Version 1 of the API. ``stud.proto`` is the source; the ``*_pb2*`` modules are generated from it by ``make proto``."""
