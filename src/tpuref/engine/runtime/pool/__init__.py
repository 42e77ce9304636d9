"""The core pool: processes that carry the cores of a TPU system.

What happens, in order, and the file of each step.  The modules of this folder are read
by both sides; ``host/`` runs in the program's process, ``process/`` in each process of
the pool.

Start
    ``host/cores.py`` maps the arena (``arena.py``) and starts the processes
    (``host/process.py``).  ``split.py`` says which process carries which cores;
    ``lifeline.py`` ends the processes with the host.
A program
    ``host/pool.py`` sends a program once (``messages.py``).  ``process/prepared.py``
    turns its instructions into steps: ``process/arrangement.py`` brings sums together,
    ``process/schedule.py`` collects operations, ``process/fusion.py`` runs them for all
    cores of the process at once, ``process/instruction_steps.py`` makes the others.
A run
    ``host/occupation.py`` gives the cores to one run at a time.  ``host/pool.py`` puts
    the inputs into the arena (``host/input_blocks.py``, ``descriptions.py``) and
    announces the run (``channel.py``).  ``process/worker.py`` runs the steps.
    ``host/gathering.py`` serves host calls and collects results.
A sum
    ``process/exchange.py`` joins small sums, ``process/collectives.py`` finds the
    contributions of all cores in the arena and calls the kernels (``kernels/cython`` or
    ``kernels/python``, ``links``).
A failure
    ``host/stall.py`` reports processes that keep a run waiting, ``host/gathering.py``
    calls the others off, ``remote_error.py`` raises the error of a core on the host.
    After a lost process ``host/cores.py`` starts new ones.
"""
