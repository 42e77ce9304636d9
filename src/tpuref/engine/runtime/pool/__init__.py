"""The core pool: processes that carry the cores of a TPU system.

The steps in order, with the file of each.  Modules of this folder serve both sides;
``host/`` runs in the process of the program, ``process/`` in each process of the pool.

Start
    ``host/cores.py`` creates the arena (``arena.py``, ``control_area.py``) and starts
    the processes (``host/process.py``).  ``split.py`` assigns cores to processes;
    ``lifeline.py`` ends the processes with the host.
A program
    ``host/pool.py`` sends it once (``messages.py``); ``host/program_facts.py`` has what
    the host looks up in each run.  ``process/prepared.py`` turns its instructions into
    steps: ``process/arrangement.py`` orders them, so that sums join one exchange,
    ``process/fusion.py`` and ``process/fusion_plan.py`` batch operations over the cores
    of the process: ``process/fusion_operation.py`` decides how each can be batched,
    ``process/plan_calls.py`` has the calls.  ``process/instruction_steps.py`` has the
    step of each other instruction, ``process/schedule.py`` the list of all steps.
A run
    ``host/occupation.py`` is the lock of the cores.  ``host/memory.py`` puts inputs and
    variables into the arena, ``messages.py`` sends the request through a mailbox or a
    socket.  ``process/worker.py`` runs the steps and replies.  ``host/gathering.py``
    serves host calls, in the order of ``host/turns.py``, and collects the results.
A sum
    The run brings it to ``process/schedule.py``, which takes its step, one of
    ``process/prepared.py``.  ``process/collectives.py`` joins small sums into one
    vector, puts large contributions into the arena and calls the kernels: ``links``
    waits for the other members (``flags``) and adds (``fold.h`` in C, ``fold.py`` in
    NumPy).  The reply takes the way of the run back.
A failure
    A core that raises poisons the flags, so its peers stop at their next wait.
    ``host/stall.py`` reports processes that make no progress, ``host/gathering.py``
    calls off the run on the other cores, ``messages.py`` rebuilds the error of a core.
    After a lost process ``host/pool.py`` has ``host/cores.py`` start new ones.
"""
