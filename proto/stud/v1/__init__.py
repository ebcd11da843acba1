"""Version 1 of the API: ``stud.proto`` is the source, ``make proto`` generates the ``*_pb2*`` modules from it."""
